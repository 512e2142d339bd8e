import type { ImportedChallenge } from '@capstan/contract/exchange'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { CategoryBadge } from '../../components/ui/category-badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { formatNumber } from '../../lib/format.ts'
import { FindingList } from './finding-list.tsx'
import styles from './import.module.css'

type PreviewedChallengeProps = Readonly<{
  challenge: ImportedChallenge
  taken: boolean
  onTaken: (taken: boolean) => void
}>

const shownAttachments = 12

/** Preview of a challenge in an archive. It lists the parts of the file that the import changes or skips. */
export function PreviewedChallenge({ challenge, taken, onTaken }: PreviewedChallengeProps) {
  const { t } = useTranslation(['admin-import', 'admin-challenges'])
  const id = useId()
  const { title, category, type, file, findings, isRefused, isKnown, container, attachments, dockerfile } = challenge
  const warnings = findings.filter(({ outcome }) => outcome !== 'converted').length
  const facts: [string, string][] = [
    [t('admin-import:fact.type'), t(`admin-challenges:type.${type}`)],
    [
      t('admin-import:fact.points'),
      t('admin-import:points', { most: formatNumber(challenge.originalScore), least: formatNumber(challenge.minScore) }),
    ],
    [t('admin-import:fact.flags'), challenge.flagTemplate ?? formatNumber(challenge.flagCount)],
    ...(challenge.hintCount > 0 ? [[t('admin-import:fact.hints'), formatNumber(challenge.hintCount)] as [string, string]] : []),
    ...(attachments.length > 0
      ? [
          [
            t('admin-import:fact.files'),
            attachments.slice(0, shownAttachments).join(', ') + (attachments.length > shownAttachments ? ' …' : ''),
          ] as [string, string],
        ]
      : []),
    ...(container
      ? [
          [t('admin-import:fact.image'), `${container.image || t('admin-import:notBuilt')} :${container.port}`] as [
            string,
            string,
          ],
        ]
      : []),
  ]
  return (
    <div className="padded">
      <div className={styles.head}>
        <input
          id={id}
          type="checkbox"
          className={styles.pick}
          checked={taken}
          disabled={isRefused}
          onChange={(event) => onTaken(event.target.checked)}
        />
        <div className="stack gap-1">
          <label htmlFor={id} className="wrap-anywhere strong">
            <bdi>{title}</bdi>
          </label>
          <div className="row gap-2">
            {!isRefused && <CategoryBadge category={category} />}
            {isRefused && <Badge tone="bad">{t('admin-import:refused')}</Badge>}
            {isKnown && <Badge tone="warn">{t('admin-import:known')}</Badge>}
            {warnings > 0 && !isRefused && <Badge tone="warn">{t('admin-import:warnings', { count: warnings })}</Badge>}
          </div>
          <span className="mono muted tiny wrap-anywhere">{file}</span>
          {(findings.length > 0 || !isRefused) && (
            <details open={isRefused}>
              <summary>{t('admin-import:details')}</summary>
              {!isRefused && (
                <NamedValueList kind="pairs">
                  {facts.map(([name, value]) => (
                    <NamedValue key={name} name={name}>
                      {value}
                    </NamedValue>
                  ))}
                </NamedValueList>
              )}
              <FindingList findings={findings} />
              {dockerfile !== null && (
                <>
                  <p className="small muted">{t('admin-import:dockerfile')}</p>
                  <pre className={cx('well tiny above-2', styles.code)} lang="en">
                    {dockerfile}
                  </pre>
                </>
              )}
            </details>
          )}
        </div>
      </div>
    </div>
  )
}
