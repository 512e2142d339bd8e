import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { WriteupsSkeleton } from '../../../features/admin-review/review-skeletons.tsx'
import { WriteupsScreen } from '../../../features/admin-review/writeups-screen.tsx'
import { useGameId } from '../../../lib/game.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-review')
  const id = useGameId()
  const { data: game } = useCall(operations.adminGetGame, { params: { id } })
  const { data: writeups, error, mutate } = useCall(operations.listWriteups, { params: { id } })
  return (
    <PageLayout title={t('writeups.title')} hideTitle>
      {!writeups && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {(!writeups || !game) && !error && <WriteupsSkeleton />}
      {writeups && game && <WriteupsScreen key={id} game={game} writeups={writeups} />}
    </PageLayout>
  )
}
