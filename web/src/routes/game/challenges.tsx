import { hasRole } from '@capstan/contract/roles'
import { useTranslation } from 'react-i18next'
import { RoleGate } from '../../components/layout/access.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { createLazyComponent } from '../../components/ui/late.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { BoardSkeleton } from '../../features/challenges/challenge-board.tsx'
import { ChallengesScreen } from '../../features/challenges/challenges-screen.tsx'
import { ClosedBoardNotice } from '../../features/challenges/gate.tsx'
import { areChallengesViewable, phaseOfGame, useGame, useGameId } from '../../lib/game.ts'
import { loadTextsOfAreas } from '../../lib/i18n.ts'
import { useSession } from '../../lib/session.ts'

/** Screen for monitors who have no accepted team in the game. It loads on demand, because players never need it. */
const ReadOnlyScreen = createLazyComponent({
  load: async () => {
    const [file] = await Promise.all([
      import('../../features/challenges/read-only-screen.tsx'),
      loadTextsOfAreas(['challenge-health']),
    ])
    return file.ReadOnlyChallengesScreen
  },
  Fallback: BoardSkeleton,
})

export function Route() {
  const { t } = useTranslation('challenges')
  return (
    <PageLayout width="wide" title={t('title')} hideTitle>
      <RoleGate isInPage>
        <Challenges />
      </RoleGate>
    </PageLayout>
  )
}

function Challenges() {
  const id = useGameId()
  const now = useNow()
  const { role } = useSession()
  const { data: game, error, mutate } = useGame(id)
  if (!game) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : <BoardSkeleton />
  if (game.status !== 'Accepted' && hasRole(role, 'Monitor')) return <ReadOnlyScreen gameId={id} />
  const phase = phaseOfGame(game, now)
  if (game.status !== 'Accepted' || !areChallengesViewable(game, now)) return <ClosedBoardNotice game={game} phase={phase} />
  return <ChallengesScreen game={game} phase={phase} now={now} />
}
