import { useTranslation } from 'react-i18next'
import { Page } from '../../../components/layout/page.tsx'
import { useNow } from '../../../components/ui/time.tsx'
import { BeforeStart } from '../../../features/monitor/before-start.tsx'
import { SubmissionFeed } from '../../../features/monitor/submission-feed.tsx'
import { phaseOf, useGame, useGameId } from '../../../lib/game.ts'

export function Route() {
  const { t } = useTranslation('monitor')
  const id = useGameId()
  const { data: game } = useGame(id)
  const now = useNow()
  return (
    <Page title={t('submissions')} hideTitle>
      {game && (phaseOf(game, now) === 'upcoming' ? <BeforeStart start={game.start} /> : <SubmissionFeed gameId={id} />)}
    </Page>
  )
}
