import { ownOperations } from '@capstan/contract/operations'
import type { SignInProvider } from '@capstan/contract/sign-in'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AdminList } from '../../components/editing/admin-list.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { showToast } from '../../components/ui/toast.ts'
import { PolicySection } from '../../features/admin-sign-in/policy-section.tsx'
import { ProviderDialog } from '../../features/admin-sign-in/provider-dialog.tsx'
import { type ProviderTask, providerTable, useProviderColumns } from '../../features/admin-sign-in/provider-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import { startProviderSignIn } from '../../lib/sign-in.ts'

export function Route() {
  const { t } = useTranslation('admin-sign-in')
  const { data, error, mutate } = useCall(ownOperations.getSignInSettings)
  const [edited, setEdited] = useState<SignInProvider | 'new'>()
  const [removed, setRemoved] = useState<SignInProvider>()
  const run = useAction(async (task: 'check' | 'try', { id, key, name }: SignInProvider) => {
    if (task === 'try') return startProviderSignIn(key, 'Preview', paths.adminSignIn.to())
    await call(ownOperations.checkSignInProvider, { params: { id } })
    showToast({ tone: 'ok', title: t('checked', { name }) })
  })
  const onTask = (task: ProviderTask, provider: SignInProvider) => {
    if (task === 'edit') setEdited(provider)
    else if (task === 'remove') setRemoved(provider)
    else void run.run(task, provider)
  }
  const columns = useProviderColumns(onTask)
  const remove = async ({ id, name }: SignInProvider) => {
    await call(ownOperations.deleteSignInProvider, { params: { id } })
    await Promise.all([refreshCall(ownOperations.getSignInSettings), refreshCall(ownOperations.getSignInOptions)])
    showToast({ tone: 'ok', title: t('removed', { name }) })
    setRemoved(undefined)
  }
  const count = data?.providers.length ?? 0
  return (
    <PageLayout title={t('title')} hideTitle>
      <div className="stack">
        {data?.origin === null && (
          <Alert tone="warn" title={t('noOrigin')}>
            {t('noOriginText')}
          </Alert>
        )}
        {data && <PolicySection settings={data} />}
        <AdminList
          {...providerTable}
          {...{ columns }}
          read={{ data: data && { data: data.providers, total: count }, error, mutate }}
          label={t('table')}
          count={t('count', { count, number: formatNumber(count) })}
          actions={
            <Button variant="primary" onClick={() => setEdited('new')}>
              <Plus aria-hidden />
              {t('new')}
            </Button>
          }
          failure={run.error}
          blank={{ icon: KeyRound, title: t('emptyTitle'), text: t('emptyText') }}
        />
      </div>
      {edited && (
        <ProviderDialog
          provider={edited === 'new' ? undefined : edited}
          origin={data?.origin ?? null}
          onClose={() => setEdited(undefined)}
        />
      )}
      {removed && (
        <DeleteDialog
          title={t('removeTitle', { name: removed.name })}
          description={t('removeText', { count: removed.users, number: formatNumber(removed.users) })}
          confirm={t('removeConfirm')}
          onDelete={() => remove(removed)}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </PageLayout>
  )
}
