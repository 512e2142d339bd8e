import type { GameDetail } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import type { GamePhase } from '@capstan/contract/phases'
import { availablePoints } from '@capstan/contract/score'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { difficulties } from '@capstan/contract/vocabulary'
import { Suspense, useCallback, useDeferredValue, useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useTerminals } from '../../components/instances/terminal/terminals.ts'
import { Alert } from '../../components/ui/badge.tsx'
import { categories } from '../../components/ui/category.tsx'
import { createLazyComponent } from '../../components/ui/late.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { useChallengeMarks, useNumberInAddress, usePlayerBoard, useTeamInstances } from '../../lib/game.ts'
import { ApiError } from '../../lib/http.ts'
import { loadTextsOfAreas } from '../../lib/i18n.ts'
import { useHub } from '../../lib/live.ts'
import { paths } from '../../lib/paths.ts'
import { useQueryState } from '../../lib/query-state.ts'
import { isNotStartedError, refreshCall, refreshCallsWithPrefix } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { typeAhead } from '../../lib/type-ahead.ts'
import { onUpgradeReload } from '../../lib/upgrade.ts'
import { waitForIdle } from '../../lib/when-idle.ts'
import { type Command, useCommands } from '../../stores/commands.ts'
import { usePracticed } from '../../stores/practiced.ts'
import { idsOfUser } from '../../stores/user-ids.ts'
import { filterGroups, findNeighbors, findNextUnsolved, listCategoryGroups, type Marks, mapOwnSolvesById } from './board.ts'
import type { Chosen } from './board-filter.tsx'
import { useBoardPreferences } from './board-preferences.ts'
import { BoardSkeleton, ChallengeBoard } from './challenge-board.tsx'
import type { fromBoard, RunningInstances } from './challenge-cards.tsx'
import { ChallengeFailedDialog } from './challenge-failed.tsx'
import { toTableRows } from './challenge-table.tsx'
import { useFlagProgress } from './flag-progress.tsx'
import { ClosedBoardNotice } from './gate.tsx'
import { listChallengeLocks } from './lock.tsx'
import { useNewChallenges } from './new-challenges.ts'
import { saveTypedFlag } from './save-typed.ts'
import { useBoardSearch } from './use-board-search.ts'

async function loadDialog() {
  const [file] = await Promise.all([import('./challenge-dialog.tsx'), loadTextsOfAreas(['instances'])])
  return file
}
/**
 * Events after which the code of the dialog is preloaded. If no such event occurs, the code is preloaded after a delay, so that
 * the board loads first.
 */
const preloadSigns = ['pointermove', 'touchstart', 'keydown', 'online'] as const
const preloadAfterMs = 10_000
function preloadDialog() {
  return void loadDialog().catch(() => undefined)
}
const ChallengeDialog = createLazyComponent({
  load: () => loadDialog().then((file) => file.ChallengeDialog),
  Failed: ChallengeFailedDialog,
})
const TerminalDock = createLazyComponent({
  load: async () => {
    const [file] = await Promise.all([
      import('../../components/instances/terminal/terminal-dock.tsx'),
      loadTextsOfAreas(['instances']),
    ])
    return file.TerminalDock
  },
})

type ChallengesScreenProps = Readonly<{
  game: GameDetail
  phase: GamePhase
  now: number
}>

/** Board, dialog and terminals for a player who may view the challenges. */
export function ChallengesScreen({ game, phase, now }: ChallengesScreenProps) {
  const { t } = useTranslation(['challenges', 'common'])
  const { id } = game
  const { data, error, mutate } = usePlayerBoard(game, now)
  // All cards render in steps, so that the page remains responsive.
  const board = useDeferredValue(data)
  const opened = useNumberInAddress('chalId')
  const { typed, chosen, writeTyped, choose, clear, addressOf } = useBoardAddress(id)
  const navigate = useNavigate()
  const { state } = useLocation()
  const running = useRunning(game, now)
  const marks = useDeferredValue(useMarks(id, board))
  const hasTerminal = useTerminals(({ tabs }) => tabs.length > 0)
  const isOpened = opened !== undefined
  useEffect(() => {
    if (isOpened) preloadDialog()
  }, [isOpened])
  const hasBoard = board !== undefined
  useEffect(() => {
    if (!hasBoard) return
    const timer = setTimeout(() => void waitForIdle().then(preloadDialog), preloadAfterMs)
    const stop = new AbortController()
    for (const sign of preloadSigns) addEventListener(sign, preloadDialog, { once: true, passive: true, signal: stop.signal })
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [hasBoard])
  useEffect(() => (opened === undefined ? undefined : onUpgradeReload(() => saveTypedFlag(opened))), [opened])

  useHub('user', id, {
    // Refreshes the open dialog after a new hint or challenge. Other code refreshes the board.
    notice: ({ type }) => {
      if (type === 'NewHint' || type === 'NewChallenge') void refreshCallsWithPrefix(`/api/game/${id}/challenges`)
    },
  })

  const refusal = error instanceof ApiError && error.httpStatus < 500 ? error.code : undefined
  useEffect(() => {
    if (refusal) void refreshCall(operations.getGame, { params: { id } })
  }, [refusal, id])

  const search = useBoardSearch(board?.challenges, marks, typed)
  const { order, solves } = useOrder(board, search.found, chosen, marks)
  const practiced = usePracticedOn(board, phase)
  const fresh = useNewChallenges(board, opened)
  const progress = useFlagProgress(id, board)
  const locks = useMemo(() => listChallengeLocks(board), [board])
  const isDone = (challengeId: number) => solves.has(challengeId) || (practiced?.has(challengeId) ?? false)
  const shown = useBoardPreferences(({ hideSolved }) => hideSolved) ? order.filter(({ id: each }) => !isDone(each)) : order
  const go = (challengeId: number) =>
    navigate(addressOf(challengeId), { state: state as unknown, preventScrollReset: true, replace: true })
  const close = () =>
    (state as Partial<typeof fromBoard> | null)?.fromBoard
      ? navigate(-1)
      : navigate(addressOf(undefined), { preventScrollReset: true, replace: true })

  const step = (by: 1 | -1) => {
    const links = [...document.querySelectorAll<HTMLElement>('[data-challenge]')]
    const at = links.indexOf(document.activeElement as HTMLElement)
    const next = at < 0 ? links[by === 1 ? 0 : links.length - 1] : links[at + by]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
  useShortcuts({ j: () => step(1), k: () => step(-1), ArrowRight: () => step(1), ArrowLeft: () => step(-1) })
  useCommands(
    'challenges',
    useMemo<readonly Command[]>(
      () =>
        Object.values(board?.challenges ?? {})
          .flat()
          .map((challenge) => ({
            id: `challenge-${challenge.id}`,
            group: t('challenges:title'),
            label: challenge.title,
            note: [
              challenge.category,
              t('challenges:points', { count: availablePoints(challenge) }),
              ...(solves.has(challenge.id) ? ['✓'] : []),
            ].join(' · '),
            keywords: [challenge.category, ...(marks.get(challenge.id)?.tags ?? [])],
            run: () => void navigate(addressOf(challenge.id), { preventScrollReset: true }),
          })),
      [board?.challenges, marks, solves, t, navigate, addressOf],
    ),
  )

  const hasNoBoard = !board && error !== undefined
  useEffect(() => {
    if (hasNoBoard) typeAhead.cancel()
  }, [hasNoBoard])

  if (!board && isNotStartedError(error)) return <ClosedBoardNotice game={game} phase="upcoming" />
  if (!board) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : <BoardSkeleton />
  return (
    <>
      <div inert={isOpened} className="stack">
        {phase === 'ended' && (
          <Alert tone="warn" title={t('common:game.over')}>
            {t('challenges:practice')}
          </Alert>
        )}
        <ChallengeBoard
          board={board}
          running={running}
          marks={marks}
          chosen={chosen}
          typed={typed}
          search={search}
          onChoose={choose}
          onTypedChange={writeTyped}
          onClear={clear}
          addressOf={addressOf}
          practiced={practiced}
          fresh={fresh}
          progress={progress}
        />
      </div>
      <Suspense>
        {opened !== undefined && (
          <ChallengeDialog
            game={game}
            phase={phase}
            board={board}
            id={opened}
            labels={marks.get(opened)}
            {...findNeighbors(shown, opened)}
            isPracticed={practiced?.has(opened) ?? false}
            lock={locks.get(opened)}
            addressOf={addressOf}
            nextUnsolved={findNextUnsolved(order, { has: (each) => isDone(each) || locks.has(each) }, opened)}
            onGo={(next) => void go(next)}
            onClose={() => void close()}
          />
        )}
      </Suspense>
      <Suspense>{hasTerminal && <TerminalDock />}</Suspense>
    </>
  )
}

/** Returns the team's instances by challenge. Returns the same map until a value that the challenge cards show changes. */
function useRunning(game: GameDetail, now: number): RunningInstances {
  const instances = useTeamInstances(game, now)
  const key = JSON.stringify(instances.map(({ challengeId, startedBy }) => [challengeId, startedBy]))
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` contains every value of the instances that the cards use
  return useMemo(() => new Map(instances.map((instance) => [instance.challengeId, instance])), [key])
}

/**
 * Returns the challenges that the player has practiced, but that the team has not solved.
 * @returns undefined before the end of the game
 */
function usePracticedOn(board: PlayerBoard | undefined, phase: GamePhase): ReadonlySet<number> | undefined {
  const { profile } = useSession()
  const ids = usePracticed((state) => idsOfUser(state, profile?.userId ?? ''))
  return useMemo(() => {
    if (!board || phase !== 'ended') return undefined
    const solves = mapOwnSolvesById(board)
    const own = Object.values(board.challenges).flat()
    return new Set(own.flatMap(({ id }) => (ids.includes(id) && !solves.has(id) ? [id] : [])))
  }, [board, phase, ids])
}

/** Stores the filters in the address: `?q=`, `?category=`, `?difficulty=` and `?tag=`. */
function useBoardAddress(gameId: number) {
  const { get, set } = useQueryState()
  const { search } = useLocation()
  const [category, difficulty, tag] = ['category', 'difficulty', 'tag'].map(get)
  const chosen = useMemo<Chosen>(
    () => ({
      category: categories.find((known) => known === category),
      difficulty: difficulties.find((known) => known === difficulty),
      tag: tag || undefined,
    }),
    [category, difficulty, tag],
  )
  return {
    typed: get('q'),
    chosen,
    writeTyped: useCallback((value: string) => set({ q: value }), [set]),
    choose: set,
    clear: useCallback(() => set({ q: '', category: '', difficulty: '', tag: '' }), [set]),
    addressOf: useCallback(
      (challengeId: number | undefined) => `${paths.challenges.to(gameId, challengeId)}${search}`,
      [gameId, search],
    ),
  }
}

const noOrder = { order: [], solves: new Map() } as const

/**
 * Returns the challenges in the displayed order. A new solve does not change the order, so "next" continues from the same position.
 */
function useOrder(board: PlayerBoard | undefined, found: ReadonlySet<number>, chosen: Chosen, marks: Marks) {
  const { view, sort } = useBoardPreferences()
  return useMemo(() => {
    if (!board) return noOrder
    const solves = mapOwnSolvesById(board)
    const solved = new Set(solves.keys())
    const filter = { ...chosen, found, hideSolved: false, sort }
    const groups = filterGroups(listCategoryGroups(board.challenges, solved), filter, solved, marks)
    return { order: toTableRows(groups, view === 'table' ? sort : 'title', marks), solves }
  }, [board, found, chosen, view, sort, marks])
}

/** Returns the details of the challenges, by id. Reads all details again if the board has a challenge without details. */
function useMarks(gameId: number, board: PlayerBoard | undefined): Marks {
  const { data, mutate } = useChallengeMarks(gameId)
  const marks = useMemo(() => new Map(data?.map((each) => [each.id, each])), [data])
  useEffect(() => {
    const isMissing = ({ id }: { readonly id: number }) => !marks.has(id)
    if (data && board && Object.values(board.challenges).flat().some(isMissing)) void mutate()
  }, [data, board, marks, mutate])
  return marks
}
