import type { ImportFinding } from '@capstan/contract/exchange'
import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import styles from './import.module.css'

/**
 * List of the fields and files of an archive that the import changes or skips, with reasons. Renders nothing if there are none.
 */
export function FindingList({ findings }: { readonly findings: readonly ImportFinding[] }) {
  const { t } = useTranslation('admin-import')
  if (findings.length === 0) return null
  return (
    <ul className="stack gap-2 above-4">
      {findings.map((finding, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes
          key={index}
          className={cx('wrap-anywhere', styles.finding)}
          data-outcome={finding.outcome}
        >
          <code>{finding.field || finding.file}</code>{' '}
          <span className="small muted">
            {t(`outcome.${finding.outcome}`)}
            {finding.field !== '' && `, ${t('line', { line: finding.line })}`}
          </span>
          <div lang="en">{renderInlineCode(`${finding.why} ${finding.advice ?? ''}`)}</div>
        </li>
      ))}
    </ul>
  )
}

/** Renders text between backticks as code. */
export function renderInlineCode(text: string) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a text that never changes
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
}
