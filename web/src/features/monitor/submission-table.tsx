import type { Submission } from '@capstan/contract/submissions'
import { useTranslation } from 'react-i18next'
import { withKeys } from '../../components/live-list/tail.ts'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, DataTable } from '../../components/ui/data-table.tsx'
import { submissionKey } from './feed.ts'
import { momentColumn } from './moment.tsx'
import styles from './monitor.module.css'
import { StatusBadge } from './status-badge.tsx'

type Keyed = ReturnType<typeof withKeys<Submission>>[number]
const keyOf = ({ key }: Keyed) => key
const rowProps = ({ entry }: Keyed) => ({ 'data-status': entry.status })

export function SubmissionTable({ submissions }: { readonly submissions: readonly Submission[] }) {
  const { t } = useTranslation('monitor')
  const columns: readonly Column<Keyed>[] = [
    momentColumn(t('submission.time'), ({ entry }) => entry.time),
    { head: t('submission.status'), bare: true, cell: ({ entry }) => <StatusBadge status={entry.status} /> },
    {
      head: t('submission.team'),
      kind: 'name',
      className: cx('wrap-anywhere', styles.team),
      cell: ({ entry }) => entry.team,
    },
    { head: t('submission.user'), className: cx('wrap-anywhere', styles.user), cell: ({ entry }) => entry.user },
    { head: t('submission.challenge'), className: cx('wrap-anywhere', styles.challenge), cell: ({ entry }) => entry.challenge },
    {
      head: t('submission.answer'),
      cell: ({ entry }) => (
        <span className={styles.answer}>
          <code className="wrap-anywhere">{entry.answer}</code>
          <CopyButton text={entry.answer} label={t('submission.copy')} />
        </span>
      ),
    },
  ]
  return (
    <DataTable
      label={t('submission.table')}
      columns={columns}
      rows={withKeys(submissions, submissionKey)}
      keyOf={keyOf}
      rowProps={rowProps}
      dense
      listOnPhone
      className={styles.feed}
    />
  )
}
