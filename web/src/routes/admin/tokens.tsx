import { ownOperations } from '@capstan/contract/operations'
import type { ApiToken } from '@capstan/contract/tokens'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AdminList } from '../../components/editing/admin-list.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { useAction } from '../../components/ui/form.ts'
import { showToast } from '../../components/ui/toast.ts'
import { CreateTokenDialog } from '../../features/admin-tokens/create-dialog.tsx'
import { RemoveTokenDialog } from '../../features/admin-tokens/remove-dialog.tsx'
import { setTokenRevoked } from '../../features/admin-tokens/token-changes.ts'
import { type TokenTask, tokenTable, useTokenColumns } from '../../features/admin-tokens/token-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-tokens')
  const { data, error, mutate } = useCall(ownOperations.listTokens)
  const [isCreating, setIsCreating] = useState(false)
  const [removed, setRemoved] = useState<ApiToken>()
  const change = useAction(async (token: ApiToken, isRevoked: boolean) => {
    await setTokenRevoked(token, isRevoked)
    showToast({ tone: 'ok', title: t(isRevoked ? 'revoked' : 'restored', { name: token.name }) })
  })
  const onTask = (task: TokenTask, token: ApiToken) => {
    if (task === 'remove') setRemoved(token)
    else void change.run(token, task === 'revoke')
  }
  const columns = useTokenColumns(onTask)
  return (
    <PageLayout title={t('title')} hideTitle>
      <AdminList
        {...tokenTable}
        {...{ columns }}
        read={{ data: data && { data, total: data.length }, error, mutate }}
        label={t('table')}
        count={t('count', { count: data?.length ?? 0, number: formatNumber(data?.length ?? 0) })}
        actions={
          <Button variant="primary" onClick={() => setIsCreating(true)}>
            <Plus aria-hidden />
            {t('new')}
          </Button>
        }
        failure={change.error}
        blank={{ icon: KeyRound, title: t('emptyTitle'), text: t('emptyText') }}
      />
      {isCreating && <CreateTokenDialog onClose={() => setIsCreating(false)} />}
      {removed && <RemoveTokenDialog token={removed} onClose={() => setRemoved(undefined)} />}
    </PageLayout>
  )
}
