import { useTranslation } from 'react-i18next'
import { Outlet } from 'react-router'
import { RoleGate } from '../../components/layout/access.tsx'
import { NarrowScreenWarning, SectionHeader } from '../../components/layout/page.tsx'
import { LinkTabs } from '../../components/ui/tabs.tsx'
import { paths } from '../../lib/paths.ts'

export function Route() {
  const { t } = useTranslation('admin')
  const tabs = [
    { to: paths.adminGames.to(), label: t('games') },
    { to: paths.adminTeams.to(), label: t('teams') },
    { to: paths.adminUsers.to(), label: t('users') },
    { to: paths.adminInstances.to(), label: t('instances') },
    { to: paths.adminLogs.to(), label: t('logs') },
    { to: paths.adminTokens.to(), label: t('tokens') },
    { to: paths.adminSignIn.to(), label: t('signIn') },
    { to: paths.adminWebhooks.to(), label: t('webhooks') },
    { to: paths.adminSettings.to(), label: t('settings') },
  ]
  return (
    <RoleGate atLeast="Admin">
      <SectionHeader title={t('title')} tabs={<LinkTabs label={t('nav')} tabs={tabs} />}>
        <NarrowScreenWarning />
      </SectionHeader>
      <Outlet />
    </RoleGate>
  )
}
