import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { ImportScreen } from '../../../features/admin-import/import-screen.tsx'
import { useGameId } from '../../../lib/game.ts'

export function Route() {
  const { t } = useTranslation('admin-import')
  const id = useGameId()
  return (
    <PageLayout title={t('title')} headingBelow hideTitle>
      <ImportScreen key={id} gameId={id} />
    </PageLayout>
  )
}
