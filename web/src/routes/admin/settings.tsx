import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../components/layout/page.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Skeleton, SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { SettingsForm } from '../../features/admin-settings/settings-form.tsx'
import { useCall } from '../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-settings')
  const { data, error, mutate } = useCall(operations.getSettings)
  return (
    <PageLayout title={t('title')} hideTitle>
      {data ? (
        <SettingsForm settings={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => mutate()} />
      ) : (
        <SettingsSkeleton />
      )}
    </PageLayout>
  )
}

function SettingsSkeleton() {
  const { t } = useTranslation()
  return (
    <div className="stack" role="status" aria-label={t('loading')}>
      {[5, 3, 4].map((lines) => (
        <Card key={lines}>
          <div className="stack">
            <Skeleton width="140px" height="18px" />
            <SkeletonLines count={lines} />
          </div>
        </Card>
      ))}
    </div>
  )
}
