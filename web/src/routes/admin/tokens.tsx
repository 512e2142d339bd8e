import { ownOperations } from '@capstan/contract/operations'
import type { ApiToken } from '@capstan/contract/tokens'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Page } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { EmptyState, ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { CreateTokenDialog } from '../../features/admin-tokens/create-dialog.tsx'
import { RemoveTokenDialog } from '../../features/admin-tokens/remove-dialog.tsx'
import { setRevoked } from '../../features/admin-tokens/token-changes.ts'
import { TokenTable, type TokenTask } from '../../features/admin-tokens/token-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-tokens')
  const { data, error, mutate } = useCall(ownOperations.listTokens)
  const [isCreating, setIsCreating] = useState(false)
  const [removed, setRemoved] = useState<ApiToken>()
  const change = useAction(async (token: ApiToken, isRevoked: boolean) => {
    await setRevoked(token, isRevoked)
    toast({ tone: 'ok', title: t(isRevoked ? 'revoked' : 'restored', { name: token.name }) })
  })
  const onTask = (task: TokenTask, token: ApiToken) => {
    if (task === 'remove') setRemoved(token)
    else void change.run(token, task === 'revoke')
  }
  const create = (
    <Button variant="primary" onClick={() => setIsCreating(true)}>
      <Plus aria-hidden />
      {t('new')}
    </Button>
  )
  return (
    <Page title={t('title')} hideTitle>
      {data && data.length > 0 && (
        <Toolbar
          end={
            <>
              <span className="small muted number">{t('count', { count: data.length, number: formatNumber(data.length) })}</span>
              {create}
            </>
          }
        />
      )}
      {change.error !== undefined && (
        <FieldError>
          <ErrorText error={change.error} />
        </FieldError>
      )}
      <TokenTable
        rows={data}
        error={error}
        onRetry={() => mutate()}
        onTask={onTask}
        empty={
          <EmptyState icon={KeyRound} title={t('emptyTitle')} actions={create}>
            {t('emptyText')}
          </EmptyState>
        }
      />
      {isCreating && <CreateTokenDialog onClose={() => setIsCreating(false)} />}
      {removed && <RemoveTokenDialog token={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  )
}
