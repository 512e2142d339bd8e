import type { ContainerInstance } from '@capstan/contract/admin'
import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { BulkActionDialog } from '../../components/editing/bulk-action-dialog.tsx'
import { ApiError, call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { getInstanceGuid } from './instance-list.ts'

type DestroyDialogProps = Readonly<{
  instances: readonly ContainerInstance[]
  onClose: (destroyed: readonly ContainerInstance[]) => void
}>

async function destroy({ containerGuid }: ContainerInstance) {
  try {
    await call(operations.destroyInstance, { params: { id: containerGuid } })
  } catch (error) {
    if (!(error instanceof ApiError && error.httpStatus === 404)) throw error
  }
}

export function DestroyInstancesDialog({ instances, onClose }: DestroyDialogProps) {
  const { t } = useTranslation('admin-instances')
  const nameOf = ({ challenge, team }: ContainerInstance) =>
    t('selectOne', { challenge: challenge?.title ?? t('unknownChallenge'), team: team?.name ?? t('unknownTeam') })
  return (
    <BulkActionDialog
      items={instances}
      keyOf={getInstanceGuid}
      nameOf={nameOf}
      label={(count) => t('destroy', { count })}
      description={t('destroyText')}
      danger
      act={destroy}
      onTried={() => refreshCall(operations.listInstances)}
      onClose={onClose}
    />
  )
}
