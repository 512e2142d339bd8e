import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { useNow } from '../../../components/ui/time.tsx'
import { BeforeStartNote } from '../../../features/monitor/before-start.tsx'
import { EventFeed } from '../../../features/monitor/event-feed.tsx'
import { phaseOfGame, useGame, useGameId } from '../../../lib/game.ts'

export function Route() {
  const { t } = useTranslation('monitor')
  const id = useGameId()
  const { data: game } = useGame(id)
  const now = useNow()
  return (
    <PageLayout title={t('events')} hideTitle>
      {game && (phaseOfGame(game, now) === 'upcoming' ? <BeforeStartNote start={game.start} /> : <EventFeed gameId={id} />)}
    </PageLayout>
  )
}
