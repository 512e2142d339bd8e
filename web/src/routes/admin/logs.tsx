import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../components/layout/page.tsx'
import { LogScreen } from '../../features/admin-logs/log-screen.tsx'

export function Route() {
  const { t } = useTranslation('admin-logs')
  return (
    <PageLayout title={t('title')} hideTitle>
      <LogScreen />
    </PageLayout>
  )
}
