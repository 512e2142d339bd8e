import { operations, ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { SkeletonLines } from '../../../components/ui/skeleton.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { TrafficViews } from '../../../features/monitor/traffic-views.tsx'
import { useGameId } from '../../../lib/game.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation(['monitor', 'common'])
  const id = useGameId()
  const { data, error, mutate } = useCall(operations.listCapturedChallenges, { params: { id } })
  const health = useCall(ownOperations.getCaptureHealth, { params: { id } })
  return (
    <PageLayout title={t('monitor:traffic')} hideTitle>
      {data && <TrafficViews gameId={id} challenges={data} health={health} />}
      {!data && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {!data && !error && (
        <div role="status" aria-label={t('common:loading')}>
          <Card>
            <SkeletonLines count={6} />
          </Card>
        </div>
      )}
    </PageLayout>
  )
}
