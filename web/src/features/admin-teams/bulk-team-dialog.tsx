import { operations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { useTranslation } from 'react-i18next'
import { BulkActionDialog } from '../../components/editing/bulk-action-dialog.tsx'
import { call } from '../../lib/http.ts'
import { refreshTeams } from './team-changes.ts'

export type BulkTeamAction = 'lock' | 'unlock' | 'delete'

const labels = { lock: 'manyLock', unlock: 'manyUnlock', delete: 'manyDelete' } as const

type BulkTeamDialogProps = Readonly<{
  teams: readonly TeamInfo[]
  action: BulkTeamAction
  onClose: (done: readonly TeamInfo[]) => void
}>

export function BulkTeamDialog({ teams, action, onClose }: BulkTeamDialogProps) {
  const { t } = useTranslation('admin-teams')
  const act = ({ id }: TeamInfo) =>
    action === 'delete'
      ? call(operations.adminDeleteTeam, { params: { id } })
      : call(operations.adminUpdateTeam, { params: { id }, body: { locked: action === 'lock' } })
  return (
    <BulkActionDialog
      items={teams}
      keyOf={({ id }) => id}
      nameOf={({ name, id }) => name ?? String(id)}
      label={(count) => t(labels[action], { count })}
      description={action === 'delete' ? t('deleteText') : t('manyText')}
      danger={action === 'delete'}
      act={act}
      onTried={refreshTeams}
      onClose={onClose}
    />
  )
}
