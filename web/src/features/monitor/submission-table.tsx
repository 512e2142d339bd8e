import type { Submission } from '@capstan/contract/submissions'
import { useTranslation } from 'react-i18next'
import { withKeys } from '../../components/live-list/tail.ts'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Table } from '../../components/ui/table.tsx'
import { submissionKey } from './feed.ts'
import { MomentCell } from './moment.tsx'
import styles from './monitor.module.css'
import { StatusBadge } from './status-badge.tsx'

export function SubmissionTable({ submissions }: { readonly submissions: readonly Submission[] }) {
  const { t } = useTranslation('monitor')
  return (
    <Table label={t('submission.table')} dense listOnPhone className={styles.feed}>
      <thead>
        <tr>
          <th scope="col">{t('submission.time')}</th>
          <th scope="col">{t('submission.status')}</th>
          <th scope="col">{t('submission.team')}</th>
          <th scope="col">{t('submission.user')}</th>
          <th scope="col">{t('submission.challenge')}</th>
          <th scope="col">{t('submission.answer')}</th>
        </tr>
      </thead>
      <tbody>
        {withKeys(submissions, submissionKey).map(({ key, entry: submission }) => (
          <tr key={key} data-status={submission.status}>
            <MomentCell at={submission.time} />
            <td>
              <StatusBadge status={submission.status} />
            </td>
            <th scope="row" data-label={t('submission.team')} className={cx(styles.wrap, styles.team)}>
              {submission.team}
            </th>
            <td data-label={t('submission.user')} className={cx(styles.wrap, styles.user)}>
              {submission.user}
            </td>
            <td data-label={t('submission.challenge')} className={cx(styles.wrap, styles.challenge)}>
              {submission.challenge}
            </td>
            <td data-label={t('submission.answer')}>
              <span className={styles.answer}>
                <code className="wrap-anywhere">{submission.answer}</code>
                <CopyButton text={submission.answer} label={t('submission.copy')} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
