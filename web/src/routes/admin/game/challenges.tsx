import type { LabeledChallenge } from '@capstan/contract/challenge-labels'
import type { ChallengeBrief } from '@capstan/contract/challenges'
import type { AdminGame } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { difficulties } from '@capstan/contract/vocabulary'
import { Flag, Plus, SearchX, Upload } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { BulkActionBar, useRowSelection } from '../../../components/editing/selection.tsx'
import { PageLayout } from '../../../components/layout/page.tsx'
import { Button, ButtonLink } from '../../../components/ui/button.tsx'
import { SearchInput, Select } from '../../../components/ui/input.tsx'
import { EmptyState, ErrorState } from '../../../components/ui/states.tsx'
import { TableSkeleton } from '../../../components/ui/table-skeleton.tsx'
import { SegmentedControl } from '../../../components/ui/tabs.tsx'
import { useNow } from '../../../components/ui/time.tsx'
import { Toolbar } from '../../../components/ui/toolbar.tsx'
import {
  type BulkChallengeAction,
  EditChallengesDialog,
  EnableChallengesDialog,
  ScheduleChallengesDialog,
} from '../../../features/admin-challenges/bulk-challenge-dialogs.tsx'
import { ChallengeList } from '../../../features/admin-challenges/challenge-list.tsx'
import { CreateChallengeForm } from '../../../features/admin-challenges/create-challenge.tsx'
import { listTagSuggestions, useChallengeLabels } from '../../../features/admin-challenges/labels-card.tsx'
import { groupChallenges, type ListFilter, toSearchPattern } from '../../../features/admin-challenges/list-filter.ts'
import { ImportDropZone } from '../../../features/admin-import/drop-zone.tsx'
import { ExportMenu } from '../../../features/admin-import/export-menu.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { phaseOfGame, useGameId } from '../../../lib/game.ts'
import { paths } from '../../../lib/paths.ts'
import { useQueryChoice, useQuerySearch, useQueryState } from '../../../lib/query-state.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-challenges')
  const id = useGameId()
  const { data: game } = useCall(operations.adminGetGame, { params: { id } })
  const { data: challenges, error, mutate } = useCall(operations.adminListChallenges, { params: { id } })
  return (
    <PageLayout title={t('list.label')} hideTitle>
      {!challenges && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {(!challenges || !game) && !error && <TableSkeleton columns={['180px', '120px', '60px', '32px', '40px', '60px']} />}
      {challenges && game && <Challenges game={game} challenges={challenges} />}
    </PageLayout>
  )
}

type ChallengesProps = Readonly<{
  game: AdminGame
  challenges: readonly ChallengeBrief[]
}>

const shownChoices = ['all', 'enabled', 'disabled'] as const
const difficultyChoices = ['', ...difficulties] as const
const noLabels: readonly LabeledChallenge[] = []

function Challenges({ game, challenges }: ChallengesProps) {
  const { t } = useTranslation(['admin-challenges', 'admin-import', 'challenges', 'common', 'editing'])
  const navigate = useNavigate()
  const { filter, search, shown, difficulty, setTag, clear } = useListFilter()
  const [creates, setCreates] = useState(false)
  const phase = phaseOfGame(game, useNow(30_000))
  const solves = useSolves(game.id, phase !== 'upcoming')
  const { data: labels = noLabels } = useChallengeLabels(game.id)
  const labelsById = useMemo(() => new Map(labels.map((each) => [each.id, each])), [labels])
  const tags = listTagSuggestions(labels, [])
  const groups = useMemo(() => groupChallenges(challenges, labelsById, filter), [challenges, labelsById, filter])
  const [bulkAction, setBulkAction] = useState<BulkChallengeAction>()
  const selection = useRowSelection(
    groups.flatMap((group) => group.challenges),
    ({ id }) => id,
  )
  const bulkProps = {
    gameId: game.id,
    challenges: selection.chosen,
    onClose: (done: readonly ChallengeBrief[]) => {
      selection.drop(done)
      setBulkAction(undefined)
    },
  }
  const enabled = challenges.filter(({ isEnabled }) => isEnabled)
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
    <ImportDropZone hint={t('admin-import:dropHere')} onDropped={() => void navigate(importPath)}>
      <div className="stack">
        {challenges.length > 0 && (
          <Toolbar
            search={
              <SearchInput
                label={t('admin-challenges:list.search')}
                value={filter.search}
                onValueChange={search.setTyped}
                error={toSearchPattern(filter.search) ? undefined : t('common:field.badPattern')}
              />
            }
            end={
              <>
                <ExportMenu gameId={game.id} importPath={importPath} />
                {create}
              </>
            }
          >
            <SegmentedControl
              label={t('admin-challenges:list.shown')}
              value={filter.shown}
              onValueChange={shown.setValue}
              options={[
                { value: 'all', label: t('admin-challenges:list.all', { count: challenges.length }) },
                { value: 'enabled', label: t('admin-challenges:list.on', { count: enabled.length }) },
                { value: 'disabled', label: t('admin-challenges:list.off', { count: challenges.length - enabled.length }) },
              ]}
            />
            {labels.some(({ difficulty }) => difficulty) && (
              <Select
                aria-label={t('challenges:filter.difficulty')}
                value={filter.difficulty}
                onValueChange={difficulty.setValue}
                options={[
                  { value: '', label: t('challenges:filter.anyDifficulty') },
                  ...difficulties.map((value) => ({ value, label: t(`challenges:difficulty.${value}`) })),
                ]}
              />
            )}
            {tags.length > 0 && (
              <Select
                aria-label={t('challenges:filter.tag')}
                value={filter.tag}
                onValueChange={setTag}
                options={[{ value: '', label: t('challenges:filter.anyTag') }, ...tags.map((value) => ({ value, label: value }))]}
              />
            )}
          </Toolbar>
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
            actions={<Button onClick={clear}>{t('admin-challenges:list.showAll')}</Button>}
          />
        )}
        {groups.length > 0 && (
          <>
            <ChallengeList
              gameId={game.id}
              groups={groups}
              solves={solves}
              isRunning={phase === 'running'}
              labels={labelsById}
              selected={selection.keys}
              onSelect={selection.select}
            />
            <p className="small muted">
              {t('admin-challenges:list.sum', {
                count: enabled.length,
                points: formatNumber(enabled.reduce((sum, { originalScore }) => sum + originalScore, 0)),
              })}
            </p>
          </>
        )}
        <BulkActionBar selection={selection}>
          <Button onClick={() => setBulkAction('schedule')}>{t('admin-challenges:schedule.many')}</Button>
          <Button onClick={() => setBulkAction('edit')}>{t('admin-challenges:many.edit')}</Button>
          <Button onClick={() => setBulkAction('disable')}>{t('admin-challenges:many.off')}</Button>
          <Button onClick={() => setBulkAction('enable')}>{t('admin-challenges:many.on')}</Button>
        </BulkActionBar>
        {bulkAction === 'schedule' && <ScheduleChallengesDialog {...bulkProps} />}
        {bulkAction === 'edit' && <EditChallengesDialog {...bulkProps} labels={labels} />}
        {(bulkAction === 'enable' || bulkAction === 'disable') && (
          <EnableChallengesDialog {...bulkProps} isEnabled={bulkAction === 'enable'} />
        )}
        {creates && <CreateChallengeForm gameId={game.id} onClose={() => setCreates(false)} />}
      </div>
    </ImportDropZone>
  )
}

/** Stores the filter in the address, so that the list is the same after the organizer returns from a challenge. */
function useListFilter() {
  const { get, set } = useQueryState()
  const search = useQuerySearch()
  const shown = useQueryChoice('shown', shownChoices)
  const difficulty = useQueryChoice('difficulty', difficultyChoices)
  const tag = get('tag')
  const filter = useMemo(
    (): ListFilter => ({ search: search.typed, shown: shown.value, difficulty: difficulty.value, tag }),
    [search.typed, shown.value, difficulty.value, tag],
  )
  const clear = () => {
    search.setTyped('')
    set({ q: undefined, shown: undefined, difficulty: undefined, tag: undefined })
  }
  return { filter, search, shown, difficulty, setTag: (next: string) => set({ tag: next }), clear }
}

/**
 * Returns the number of teams that solved each challenge. The scoreboard contains only enabled challenges, and only after the
 * start.
 */
function useSolves(gameId: number, hasStarted: boolean): ReadonlyMap<number, number> {
  const { data } = useCall(ownOperations.getLeadingBoard, hasStarted ? { params: { id: gameId } } : null)
  return useMemo(
    () => new Map(Object.values(data?.challenges ?? {}).flatMap((board) => board.map(({ id, solved }) => [id, solved]))),
    [data],
  )
}
