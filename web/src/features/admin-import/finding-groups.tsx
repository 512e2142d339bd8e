import type { ImportFindingGroup } from '@capstan/contract/exchange'
import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { renderInlineCode } from './finding-list.tsx'
import styles from './import.module.css'

/** Findings of an import, grouped by reason. Groups that need no action are collapsed. */
export function FindingGroups({ groups }: { readonly groups: readonly ImportFindingGroup[] }) {
  const { t } = useTranslation('admin-import')
  const notes = groups.filter(({ urgency }) => urgency === 'note')
  if (groups.length === 0) return <p className="muted">{t('report.empty')}</p>
  return (
    <>
      <GroupList groups={groups.filter(({ urgency }) => urgency !== 'note')} />
      {notes.length > 0 && (
        <details>
          <summary>
            {t('report.notes')} ({formatNumber(notes.reduce((sum, { count }) => sum + count, 0))})
          </summary>
          <GroupList groups={notes} />
        </details>
      )}
    </>
  )
}

function GroupList({ groups }: { readonly groups: readonly ImportFindingGroup[] }) {
  const { t } = useTranslation('admin-import')
  if (groups.length === 0) return null
  return (
    <ul className="stack gap-2 above-4">
      {groups.map(({ outcome, why, advice, repair = '', count, findings }) => (
        <li key={`${outcome} ${repair} ${why} ${advice}`} className={cx('wrap-anywhere', styles.finding)} data-outcome={outcome}>
          <span className="small muted">
            {formatNumber(count)} × {t(`outcome.${outcome}`)}
          </span>
          <div lang="en">{renderInlineCode(`${why} ${advice ?? ''}`)}</div>
          <details>
            <summary>{t('details')}</summary>
            <ul className="stack gap-1 above-2">
              {findings.map(({ file, line, field }, index) => (
                <li
                  // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes
                  key={index}
                >
                  <code>
                    {file}:{line}
                  </code>{' '}
                  {field !== '' && <code>{field}</code>}
                </li>
              ))}
              {count > findings.length && <li>…</li>}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  )
}
