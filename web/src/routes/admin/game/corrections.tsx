import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { CorrectionsScreen } from '../../../features/admin-review/corrections-screen.tsx'
import { useGameId } from '../../../lib/game.ts'

export function Route() {
  const { t } = useTranslation('admin-review')
  return (
    <PageLayout title={t('award.page')} hideTitle>
      <CorrectionsScreen gameId={useGameId()} />
    </PageLayout>
  )
}
