import { operations, ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { SkeletonLines } from '../../../components/ui/skeleton.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { CertificateScreen } from '../../../features/admin-certificate/certificate-screen.tsx'
import { useGameId } from '../../../lib/game.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-certificate')
  const id = useGameId()
  const { data: game } = useCall(operations.adminGetGame, { params: { id } })
  const { data: stored, error, mutate } = useCall(ownOperations.getCertificate, { params: { id } })
  return (
    <PageLayout title={t('title')} hideTitle>
      {!stored && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {(!stored || !game) && !error && <SkeletonLines count={8} />}
      {stored && game && <CertificateScreen key={id} game={game} stored={stored} />}
    </PageLayout>
  )
}
