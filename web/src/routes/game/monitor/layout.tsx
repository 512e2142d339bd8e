import { useTranslation } from 'react-i18next'
import { Outlet } from 'react-router'
import { RoleGate } from '../../../components/layout/access.tsx'
import { NarrowScreenWarning, SectionHeader } from '../../../components/layout/page.tsx'
import { UnreadTicketsCount } from '../../../components/layout/unread-tickets.tsx'
import { LinkTabs } from '../../../components/ui/tabs.tsx'
import { useGameId } from '../../../lib/game.ts'
import { paths } from '../../../lib/paths.ts'

/** Layout of the monitoring pages, for monitors and admins. */
export function Route() {
  const { t } = useTranslation('monitor')
  const id = useGameId()
  const tabs = [
    { to: paths.monitor.to(id), label: t('desk.title'), exact: true },
    { to: paths.monitorEvents.to(id), label: t('events') },
    { to: paths.monitorSubmissions.to(id), label: t('submissions') },
    { to: paths.monitorCheatInfo.to(id), label: t('cheatInfo') },
    { to: paths.monitorTraffic.to(id), label: t('traffic') },
    {
      to: paths.monitorTickets.to(id),
      label: (
        <>
          {t('tickets')} <UnreadTicketsCount gameId={id} side="organizers" />
        </>
      ),
    },
    { to: paths.monitorSurvey.to(id), label: t('survey') },
  ]
  return (
    <RoleGate atLeast="Monitor">
      <SectionHeader tabs={<LinkTabs label={t('nav')} tabs={tabs} />}>
        <NarrowScreenWarning />
      </SectionHeader>
      <Outlet />
    </RoleGate>
  )
}
