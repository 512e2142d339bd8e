import { operations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { useTranslation } from 'react-i18next'
import { ManyDialog } from '../../components/editing/many-dialog.tsx'
import { call } from '../../lib/http.ts'
import { refreshTeams } from './team-changes.ts'

export type ManyTeams = 'lock' | 'unlock' | 'delete'

const labels = { lock: 'manyLock', unlock: 'manyUnlock', delete: 'manyDelete' } as const

type ManyTeamsDialogProps = Readonly<{
  teams: readonly TeamInfo[]
  many: ManyTeams
  onClose: (done: readonly TeamInfo[]) => void
}>

export function ManyTeamsDialog({ teams, many, onClose }: ManyTeamsDialogProps) {
  const { t } = useTranslation('admin-teams')
  const act = ({ id }: TeamInfo) =>
    many === 'delete'
      ? call(operations.adminDeleteTeam, { params: { id } })
      : call(operations.adminUpdateTeam, { params: { id }, body: { locked: many === 'lock' } })
  return (
    <ManyDialog
      items={teams}
      keyOf={({ id }) => id}
      nameOf={({ name, id }) => name ?? String(id)}
      label={(count) => t(labels[many], { count })}
      description={many === 'delete' ? t('deleteText') : t('manyText')}
      danger={many === 'delete'}
      act={act}
      onTried={refreshTeams}
      onClose={onClose}
    />
  )
}
