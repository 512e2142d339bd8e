import type { MonitoredSubmission } from '@capstan/contract/monitor'
import { hasRole } from '@capstan/contract/roles'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, DataTable } from '../../components/ui/data-table.tsx'
import { useSession } from '../../lib/session.ts'
import { LinkedName, useMonitorLinks } from './links.tsx'
import { useTimestampColumn } from './moment.tsx'
import styles from './monitor.module.css'
import { SubmissionStatusBadge } from './status-badge.tsx'
import { RevokeSolveDialog } from './take-back-dialog.tsx'

function keyOf({ id }: MonitoredSubmission) {
  return id
}
function rowProps({ status }: MonitoredSubmission) {
  return { 'data-status': status }
}

type SubmissionTableProps = Readonly<{
  gameId: number
  submissions: readonly MonitoredSubmission[]
}>

export function SubmissionTable({ gameId, submissions }: SubmissionTableProps) {
  const { t } = useTranslation('monitor')
  const links = useMonitorLinks(gameId)
  const momentColumn = useTimestampColumn()
  const { role } = useSession()
  const [takenBack, setTakenBack] = useState<MonitoredSubmission>()
  const takeBackColumn: Column<MonitoredSubmission> = {
    head: t('takeBack.confirm'),
    kind: 'actions',
    cell: (submission) =>
      submission.status === 'Accepted' && (
        <IconButton label={t('takeBack.named', submission)} onClick={() => setTakenBack(submission)}>
          <Undo2 />
        </IconButton>
      ),
  }
  const columns: readonly Column<MonitoredSubmission>[] = [
    momentColumn(t('submission.time'), ({ time }) => time),
    { head: t('submission.status'), bare: true, cell: ({ status }) => <SubmissionStatusBadge status={status} /> },
    {
      head: t('submission.team'),
      kind: 'name',
      className: 'wrap-anywhere',
      width: '18%',
      cell: ({ team, teamId }) => <LinkedName to={links.team(teamId)}>{team}</LinkedName>,
    },
    {
      head: t('submission.user'),
      className: 'wrap-anywhere',
      width: '13%',
      cell: ({ user }) => <LinkedName to={user === '' ? undefined : links.user(user)}>{user}</LinkedName>,
    },
    {
      head: t('submission.challenge'),
      className: 'wrap-anywhere',
      width: '18%',
      cell: ({ challenge, challengeId }) => <LinkedName to={links.challenge(challengeId)}>{challenge}</LinkedName>,
    },
    {
      head: t('submission.answer'),
      cell: ({ answer }) => (
        <span className={cx('line row-between', styles.answer)}>
          <code className="wrap-anywhere">{answer}</code>
          <CopyButton text={answer} label={t('submission.copy')} />
        </span>
      ),
    },
    ...(hasRole(role, 'Admin') ? [takeBackColumn] : []),
  ]
  return (
    <>
      <DataTable
        label={t('submission.table')}
        columns={columns}
        rows={submissions}
        keyOf={keyOf}
        rowProps={rowProps}
        dense
        listOnPhone
        className={styles.feed}
      />
      {takenBack && <RevokeSolveDialog gameId={gameId} submission={takenBack} onClose={() => setTakenBack(undefined)} />}
    </>
  )
}
