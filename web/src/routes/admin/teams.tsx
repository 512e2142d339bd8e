import { teamOrders } from '@capstan/contract/admin'
import { ownOperations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { SearchX, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GameFilter, useGameFilter } from '../../components/editing/game-filter.tsx'
import { OrderOnPhone } from '../../components/editing/order-on-phone.tsx'
import { ChosenBar, useSelection } from '../../components/editing/selection.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { SearchInput, Select } from '../../components/ui/input.tsx'
import { EmptyState, ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { type ManyTeams, ManyTeamsDialog } from '../../features/admin-teams/many-teams.tsx'
import { changeTeam } from '../../features/admin-teams/team-changes.ts'
import { DeleteTeamDialog, TeamForm } from '../../features/admin-teams/team-dialogs.tsx'
import { TeamTable, type TeamTask } from '../../features/admin-teams/team-table.tsx'
import { errorTitle } from '../../lib/error-title.ts'
import { formatNumber } from '../../lib/format.ts'
import { useQueryChoice, useQueryOrder, useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'

const pageSize = 50
const lockedChoices = ['any', 'true', 'false'] as const

export function Route() {
  const { t } = useTranslation(['admin-teams', 'common', 'editing'])
  const { page, setPage } = useQueryPage()
  const search = useQuerySearch()
  const [open, setOpen] = useState<{ readonly task: TeamTask; readonly team: TeamInfo }>()
  const { set: setQuery } = useQueryState()
  const order = useQueryOrder(teamOrders)
  const locked = useQueryChoice('locked', lockedChoices)
  const game = useGameFilter()
  const isFiltered = search.settled !== '' || locked.value !== 'any' || game.id !== undefined
  const { data, error, mutate } = useCall(
    ownOperations.findTeams,
    {
      query: {
        ...(search.settled !== '' && { hint: search.settled }),
        ...(locked.value !== 'any' && { locked: locked.value === 'true' }),
        ...(game.id !== undefined && { game: game.id }),
        ...{ sort: order.by, descending: order.descending, count: pageSize, skip: page * pageSize },
      },
    },
    { keepPreviousData: true },
  )
  const rows = data?.data
  const [many, setMany] = useState<ManyTeams>()
  const selection = useSelection(rows ?? [], ({ id }) => id)
  const clear = () => {
    search.setTyped('')
    setQuery({ q: undefined, locked: undefined, game: undefined, page: undefined })
  }
  const close = () => setOpen(undefined)

  const setLock = useAction(async (team: TeamInfo, locked: boolean) => {
    const name = team.name ?? ''
    await changeTeam(team, { locked })
    toast({
      tone: 'ok',
      title: t(locked ? 'admin-teams:lockedToast' : 'admin-teams:unlockedToast', { name }),
      action: {
        label: t('common:action.undo'),
        run: () =>
          void changeTeam(team, { locked: !locked }).catch((error: unknown) => toast({ tone: 'bad', title: errorTitle(error) })),
      },
    })
  })
  const onTask = (task: TeamTask, team: TeamInfo) => {
    if (task === 'lock' || task === 'unlock') void setLock.run(team, task === 'lock')
    else setOpen({ task, team })
  }

  return (
    <Page title={t('admin-teams:title')} hideTitle>
      <Toolbar
        search={
          <SearchInput
            label={t('admin-teams:search')}
            placeholder={t('admin-teams:searchHint')}
            value={search.typed}
            onValueChange={search.setTyped}
          />
        }
        end={
          data && (
            <span className="small muted number" role="status">
              {t('admin-teams:count', { count: data.total, number: formatNumber(data.total) })}
            </span>
          )
        }
      >
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
        <OrderOnPhone
          order={order}
          options={[
            ['id', t('admin-teams:column.id')],
            ['name', t('admin-teams:column.team')],
            ['captain', t('admin-teams:column.captain')],
            ['members', t('admin-teams:column.members')],
            ['locked', t('admin-teams:column.state')],
          ]}
        />
      </Toolbar>
      {setLock.error !== undefined && (
        <FieldError>
          <ErrorText error={setLock.error} />
        </FieldError>
      )}
      <TeamTable
        order={order}
        selected={selection.keys}
        onSelect={selection.select}
        onTask={onTask}
        rows={rows}
        error={error}
        onRetry={() => mutate()}
        empty={
          isFiltered ? (
            <EmptyState
              icon={SearchX}
              title={t('admin-teams:noneTitle')}
              actions={<Button onClick={clear}>{t('admin-teams:clear')}</Button>}
            >
              {t('admin-teams:noneText')}
            </EmptyState>
          ) : (
            <EmptyState icon={UsersRound} title={t('admin-teams:emptyTitle')}>
              {t('admin-teams:emptyText')}
            </EmptyState>
          )
        }
        paging={
          data && data.total > pageSize
            ? { page, pageSize, total: data.total, itemsShown: data.data.length, onPageChange: setPage }
            : undefined
        }
      />
      <ChosenBar selection={selection}>
        <Button onClick={() => setMany('lock')}>{t('admin-teams:lock')}</Button>
        <Button onClick={() => setMany('unlock')}>{t('admin-teams:unlock')}</Button>
        <Button variant="danger" onClick={() => setMany('delete')}>
          {t('admin-teams:delete')}
        </Button>
      </ChosenBar>
      {many && (
        <ManyTeamsDialog
          teams={selection.chosen}
          many={many}
          onClose={(done) => {
            selection.drop(done)
            setMany(undefined)
          }}
        />
      )}
      {open?.task === 'edit' && <TeamForm team={open.team} onClose={close} />}
      {open?.task === 'delete' && <DeleteTeamDialog team={open.team} onClose={close} />}
    </Page>
  )
}
