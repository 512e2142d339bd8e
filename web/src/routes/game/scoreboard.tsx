import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { FreezeNote, useBoardChoice, useFrozenSince } from '../../components/board/board-view.tsx'
import { usePastBoard } from '../../components/board/past-board.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { ScoreboardContent } from '../../features/scoreboard/scoreboard-screen.tsx'
import { BeforeStartState, BoardSkeleton } from '../../features/scoreboard/states.tsx'
import { useLeadingThenFullScoreboard, useOwnSolvesSinceFreeze } from '../../features/scoreboard/use-board.ts'
import { phaseOfGame, useGame, useGameId } from '../../lib/game.ts'

/** Interval at which the lines of the chart are extended, in ms. */
const lineStepMs = 30_000

export function Route() {
  const { t } = useTranslation('scoreboard')
  const id = useGameId()
  return (
    <PageLayout title={t('title')} width="full" dense hideTitle>
      <Board key={id} id={id} />
    </PageLayout>
  )
}

function Board({ id }: { readonly id: number }) {
  const { data: game, error: gameError, mutate } = useGame(id)
  const step = useNow(lineStepMs)
  // The clock ticks every second before the start, and less often afterwards.
  const waits = game !== undefined && Date.parse(game.start) > step
  const now = useNow(waits ? 1000 : lineStepMs)
  const phase = game ? phaseOfGame(game, now) : 'upcoming'
  const choice = useBoardChoice(game)
  const frozenSince = useFrozenSince(game)
  const { board: latest, teamCount, error, early, retry } = useLeadingThenFullScoreboard(id, phase, choice.view)
  const past = usePastBoard(phase === 'upcoming' ? undefined : game, now, choice.view)
  const ownLater = useOwnSolvesSinceFreeze(game, frozenSince, now)
  // Hundreds of rows render in steps, so that the page remains responsive.
  const board = useDeferredValue(past.board ?? latest)
  if (!game) return gameError ? <ErrorState error={gameError} onRetry={() => mutate()} /> : <BoardSkeleton />
  if (board)
    return (
      <div className="stack gap-2">
        {frozenSince !== undefined && <FreezeNote since={frozenSince} choice={choice} ownLater={ownLater?.length} />}
        <ScoreboardContent
          key={choice.view}
          view={choice.view}
          game={game}
          board={board}
          teamCount={past.board ? board.items.length : teamCount}
          past={past}
          ownLater={past.board || choice.view === 'live' ? undefined : ownLater}
          now={past.board ? (past.at ?? now) : now}
        />
      </div>
    )
  if (early) return <BeforeStartState game={game} now={now} />
  return error ? <ErrorState error={error} onRetry={retry} /> : <BoardSkeleton />
}
