import { hasRole } from '@capstan/contract/roles'
import { useTranslation } from 'react-i18next'
import { RequireRole } from '../../components/layout/access.tsx'
import { Page } from '../../components/layout/page.tsx'
import { lazyComponent } from '../../components/ui/late.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { BoardSkeleton } from '../../features/challenges/challenge-board.tsx'
import { ChallengesScreen } from '../../features/challenges/challenges-screen.tsx'
import { ClosedBoardNotice } from '../../features/challenges/gate.tsx'
import { isPlayable, phaseOf, useGame, useGameId } from '../../lib/game.ts'
import { loadAreas } from '../../lib/i18n.ts'
import { useSession } from '../../lib/session.ts'

/** Screen for monitors who have no accepted team in the game. It loads on demand, because players never need it. */
const ReadOnlyScreen = lazyComponent({
  load: async () => {
    const [file] = await Promise.all([import('../../features/challenges/read-only-screen.tsx'), loadAreas(['challenge-health'])])
    return file.ReadOnlyScreen
  },
  Fallback: BoardSkeleton,
})

export function Route() {
  const { t } = useTranslation('challenges')
  return (
    <Page width="wide" title={t('title')} hideTitle>
      <RequireRole isInPage>
        <Challenges />
      </RequireRole>
    </Page>
  )
}

function Challenges() {
  const id = useGameId()
  const now = useNow()
  const { role } = useSession()
  const { data: game, error, mutate } = useGame(id)
  if (!game) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : <BoardSkeleton />
  if (game.status !== 'Accepted' && hasRole(role, 'Monitor')) return <ReadOnlyScreen gameId={id} />
  const phase = phaseOf(game, now)
  if (game.status !== 'Accepted' || !isPlayable(game, now)) return <ClosedBoardNotice game={game} phase={phase} />
  return <ChallengesScreen game={game} phase={phase} now={now} />
}
