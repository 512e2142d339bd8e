import { hasRole } from '@capstan/contract/roles'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { MonitorOverviewScreen } from '../../../features/monitor/desk-screen.tsx'
import { useGame, useGameId } from '../../../lib/game.ts'
import { useSession } from '../../../lib/session.ts'

/** Page with the monitor desk. It is the first monitoring page, and is made for a large screen on the wall. */
export function Route() {
  const { t } = useTranslation('monitor')
  const { data: game } = useGame(useGameId())
  const { role } = useSession()
  return (
    <PageLayout width="wide" title={t('desk.title')} hideTitle>
      {game && <MonitorOverviewScreen game={game} isAdmin={hasRole(role, 'Admin')} />}
    </PageLayout>
  )
}
