import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { ReviewScreen } from '../../../features/admin-review/review-screen.tsx'
import { ReviewSkeleton } from '../../../features/admin-review/review-skeletons.tsx'
import { useGameId } from '../../../lib/game.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-review')
  const id = useGameId()
  const { data: game } = useCall(operations.adminGetGame, { params: { id } })
  const { data: records, error, mutate } = useCall(operations.listParticipations, { params: { id } })
  return (
    <PageLayout title={t('title')} hideTitle>
      {!records && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {(!records || !game) && !error && <ReviewSkeleton />}
      {records && game && <ReviewScreen key={id} game={game} records={records} />}
    </PageLayout>
  )
}
