import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { Page } from '../../../components/layout/page.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { TableSkeleton } from '../../../components/ui/table-skeleton.tsx'
import { ReviewScreen } from '../../../features/admin-review/review-screen.tsx'
import { useGameId } from '../../../lib/game.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-review')
  const id = useGameId()
  const { data: game } = useCall(operations.adminGetGame, { params: { id } })
  const { data: records, error, mutate } = useCall(operations.listParticipations, { params: { id } })
  return (
    <Page title={t('title')} hideTitle>
      {!records && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {(!records || !game) && !error && <TableSkeleton dense columns={['16px', '180px', '90px', '40px', '80px']} rows={12} />}
      {records && game && <ReviewScreen key={id} game={game} records={records} />}
    </Page>
  )
}
