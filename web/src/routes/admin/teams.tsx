import { teamOrders } from '@capstan/contract/admin'
import { ownOperations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { SearchX, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AdminList, useListQuery } from '../../components/editing/admin-list.tsx'
import { GameFilter, useGameFilter } from '../../components/editing/game-filter.tsx'
import { useRowSelection } from '../../components/editing/selection.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Select } from '../../components/ui/input.tsx'
import { showErrorToast, showToast } from '../../components/ui/toast.ts'
import { type BulkTeamAction, BulkTeamDialog } from '../../features/admin-teams/bulk-team-dialog.tsx'
import { changeTeam } from '../../features/admin-teams/team-changes.ts'
import { DeleteTeamDialog, TeamForm } from '../../features/admin-teams/team-dialogs.tsx'
import { type TeamTask, teamTable, useTeamColumns } from '../../features/admin-teams/team-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useQueryChoice } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'

const lockedChoices = ['any', 'true', 'false'] as const

export function Route() {
  const { t } = useTranslation(['admin-teams', 'common', 'editing'])
  const [open, setOpen] = useState<Readonly<{ task: TeamTask; team: TeamInfo }>>()
  const [bulkAction, setBulkAction] = useState<BulkTeamAction>()
  const locked = useQueryChoice('locked', lockedChoices)
  const game = useGameFilter()
  const query = useListQuery(teamOrders, {
    locked: locked.value === 'any' ? undefined : locked.value === 'true',
    game: game.id,
  })
  const read = useCall(ownOperations.findTeams, { query: query.query }, { keepPreviousData: true })
  const selection = useRowSelection(read.data?.data ?? [], teamTable.keyOf)
  const close = () => setOpen(undefined)

  const setLock = useAction(async (team: TeamInfo, locked: boolean) => {
    const name = team.name ?? ''
    await changeTeam(team, { locked })
    showToast({
      tone: 'ok',
      title: t(locked ? 'admin-teams:lockedToast' : 'admin-teams:unlockedToast', { name }),
      action: {
        label: t('common:action.undo'),
        run: () => void changeTeam(team, { locked: !locked }).catch(showErrorToast),
      },
    })
  })
  const onTask = (task: TeamTask, team: TeamInfo) => {
    if (task === 'lock' || task === 'unlock') void setLock.run(team, task === 'lock')
    else setOpen({ task, team })
  }
  const columns = useTeamColumns(onTask)
  return (
    <PageLayout title={t('admin-teams:title')} hideTitle>
      <AdminList
        {...teamTable}
        {...{ read, query, selection, columns }}
        label={t('admin-teams:table')}
        search={{ label: t('admin-teams:search'), hint: t('admin-teams:searchHint') }}
        count={t('admin-teams:count', { count: read.data?.total ?? 0, number: formatNumber(read.data?.total ?? 0) })}
        filters={
          <>
            <Select
              aria-label={t('admin-teams:filterState')}
              value={locked.value}
              onValueChange={locked.setValue}
              options={[
                { value: 'any', label: t('admin-teams:anyState') },
                { value: 'true', label: t('admin-teams:locked') },
                { value: 'false', label: t('admin-teams:open') },
              ]}
            />
            <GameFilter label={t('admin-teams:filterGame')} anyLabel={t('admin-teams:anyGame')} filter={game} />
          </>
        }
        failure={setLock.error}
        blank={{ icon: UsersRound, title: t('admin-teams:emptyTitle'), text: t('admin-teams:emptyText') }}
        none={{
          icon: SearchX,
          title: t('admin-teams:noneTitle'),
          text: t('admin-teams:noneText'),
          clear: t('admin-teams:clear'),
        }}
        selectionName={({ name, id }) => name ?? String(id)}
        bulk={
          <>
            <Button onClick={() => setBulkAction('lock')}>{t('admin-teams:lock')}</Button>
            <Button onClick={() => setBulkAction('unlock')}>{t('admin-teams:unlock')}</Button>
            <Button variant="danger" onClick={() => setBulkAction('delete')}>
              {t('admin-teams:delete')}
            </Button>
          </>
        }
      />
      {bulkAction && (
        <BulkTeamDialog
          teams={selection.chosen}
          action={bulkAction}
          onClose={(done) => {
            selection.drop(done)
            setBulkAction(undefined)
          }}
        />
      )}
      {open?.task === 'edit' && <TeamForm team={open.team} onClose={close} />}
      {open?.task === 'delete' && <DeleteTeamDialog team={open.team} onClose={close} />}
    </PageLayout>
  )
}
