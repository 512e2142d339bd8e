import type { ChallengeBrief } from '@capstan/contract/challenges'
import type { AdminGame } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Flag, PackageOpen, Plus, RefreshCw, SearchX, Upload } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Page } from '../../../components/layout/page.tsx'
import { Button, ButtonLink } from '../../../components/ui/button.tsx'
import { useAction } from '../../../components/ui/form.ts'
import { SearchInput } from '../../../components/ui/input.tsx'
import { EmptyState, ErrorState, ErrorText } from '../../../components/ui/states.tsx'
import { TableSkeleton } from '../../../components/ui/table-skeleton.tsx'
import { Segments } from '../../../components/ui/tabs.tsx'
import { useNow } from '../../../components/ui/time.tsx'
import { toast } from '../../../components/ui/toast.ts'
import { Toolbar } from '../../../components/ui/toolbar.tsx'
import { ChallengeList } from '../../../features/admin-challenges/challenge-list.tsx'
import { CreateChallenge } from '../../../features/admin-challenges/create-challenge.tsx'
import { groupChallenges, patternOf, type ShownChallenges } from '../../../features/admin-challenges/list-filter.ts'
import { SwitchAll } from '../../../features/admin-challenges/switch-all.tsx'
import { DropZone } from '../../../features/admin-import/drop-zone.tsx'
import { ExportMenu } from '../../../features/admin-import/export-menu.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { boardAddress, phaseOf, useGameId } from '../../../lib/game.ts'
import { call } from '../../../lib/http.ts'
import { paths } from '../../../lib/paths.ts'
import { refresh, refreshUnder, useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-challenges')
  const id = useGameId()
  const { data: game } = useCall(operations.adminGetGame, { params: { id } })
  const { data: challenges, error, mutate } = useCall(operations.adminListChallenges, { params: { id } })
  return (
    <Page title={t('list.label')} hideTitle>
      {!challenges && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {(!challenges || !game) && !error && <TableSkeleton columns={['180px', '120px', '60px', '32px', '40px', '60px']} />}
      {challenges && game && <Challenges game={game} challenges={challenges} />}
    </Page>
  )
}

interface ChallengesProps {
  readonly game: AdminGame
  readonly challenges: readonly ChallengeBrief[]
}

function Challenges({ game, challenges }: ChallengesProps) {
  const { t } = useTranslation(['admin-challenges', 'admin-import', 'common'])
  const navigate = useNavigate()
  const [search, setSearch] = useState('')
  const [shown, setShown] = useState<ShownChallenges>('all')
  const [creates, setCreates] = useState(false)
  const phase = phaseOf(game, useNow(30_000))
  const solves = useSolves(game.id, phase !== 'upcoming')
  const groups = useMemo(() => groupChallenges(challenges, { search, shown }), [challenges, search, shown])
  const enabled = challenges.filter(({ isEnabled }) => isEnabled)
  const recount = useAction(async () => {
    await call(operations.recountSolves, { params: { id: game.id } })
    await Promise.all([refresh(operations.adminListChallenges, { params: { id: game.id } }), refreshUnder(boardAddress(game.id))])
    toast({ tone: 'ok', title: t('admin-challenges:recount.done') })
  })
  const create = (
    <Button variant="primary" onClick={() => setCreates(true)}>
      <Plus aria-hidden />
      {t('admin-challenges:create.action')}
    </Button>
  )
  const importPath = paths.adminGameImport.to(game.id)
  const bring = (
    <ButtonLink to={importPath}>
      <Upload aria-hidden />
      {t('admin-import:action')}
    </ButtonLink>
  )
  return (
    <DropZone hint={t('admin-import:dropHere')} onDropped={() => void navigate(importPath)}>
      <div className="stack">
        {challenges.length > 0 && (
          <Toolbar
            search={
              <SearchInput
                label={t('admin-challenges:list.search')}
                value={search}
                onValueChange={setSearch}
                error={patternOf(search) ? undefined : t('common:field.badPattern')}
              />
            }
            end={
              <>
                <Button busy={recount.busy} title={t('admin-challenges:recount.hint')} onClick={() => void recount.run()}>
                  <RefreshCw aria-hidden />
                  {t('admin-challenges:recount.action')}
                </Button>
                <SwitchAll gameId={game.id} challenges={groups.flatMap((group) => group.challenges)} />
                {bring}
                <ExportMenu
                  gameId={game.id}
                  trigger={
                    <Button>
                      <PackageOpen aria-hidden />
                      {t('admin-import:export.action')}
                    </Button>
                  }
                />
                {create}
              </>
            }
          >
            <Segments
              label={t('admin-challenges:list.shown')}
              value={shown}
              onValueChange={setShown}
              options={[
                { value: 'all', label: t('admin-challenges:list.all', { count: challenges.length }) },
                { value: 'enabled', label: t('admin-challenges:list.on', { count: enabled.length }) },
                { value: 'disabled', label: t('admin-challenges:list.off', { count: challenges.length - enabled.length }) },
              ]}
            />
          </Toolbar>
        )}
        {recount.error !== undefined && (
          <p role="alert" className="small">
            <ErrorText error={recount.error} />
          </p>
        )}
        {challenges.length === 0 && (
          <EmptyState
            icon={Flag}
            title={t('admin-challenges:list.empty')}
            actions={
              <>
                {bring}
                {create}
              </>
            }
          >
            {t('admin-challenges:list.emptyText')}
          </EmptyState>
        )}
        {challenges.length > 0 && groups.length === 0 && (
          <EmptyState
            icon={SearchX}
            title={t('admin-challenges:list.noMatch')}
            actions={
              <Button
                onClick={() => {
                  setSearch('')
                  setShown('all')
                }}
              >
                {t('admin-challenges:list.showAll')}
              </Button>
            }
          />
        )}
        {groups.length > 0 && (
          <>
            <ChallengeList gameId={game.id} groups={groups} solves={solves} isRunning={phase === 'running'} />
            <p className="small muted">
              {t('admin-challenges:list.sum', {
                count: enabled.length,
                points: formatNumber(enabled.reduce((sum, { originalScore }) => sum + originalScore, 0)),
              })}
            </p>
          </>
        )}
        {creates && <CreateChallenge gameId={game.id} onClose={() => setCreates(false)} />}
      </div>
    </DropZone>
  )
}

/** Solving teams by challenge. The scoreboard knows enabled challenges only, once the game has started. */
function useSolves(gameId: number, hasStarted: boolean): ReadonlyMap<number, number> {
  const { data } = useCall(ownOperations.getLeadingBoard, hasStarted ? { params: { id: gameId } } : null)
  return useMemo(
    () => new Map(Object.values(data?.challenges ?? {}).flatMap((board) => board.map(({ id, solved }) => [id, solved]))),
    [data],
  )
}
