import { ownOperations } from '@capstan/contract/operations'
import type { Webhook } from '@capstan/contract/webhooks'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AdminList } from '../../components/editing/admin-list.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { showToast } from '../../components/ui/toast.ts'
import { DeliveriesDialog } from '../../features/admin-webhooks/deliveries-dialog.tsx'
import { SigningKeyDialog, WebhookDialog } from '../../features/admin-webhooks/webhook-form.tsx'
import { useWebhookColumns, type WebhookTask } from '../../features/admin-webhooks/webhook-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'

type Open = Readonly<{ task: Exclude<WebhookTask, 'test' | 'renew'>; webhook: Webhook } | { task: 'create'; webhook?: undefined }>

export function Route() {
  const { t } = useTranslation('admin-webhooks')
  const { data, error, mutate } = useCall(ownOperations.listWebhooks)
  const [open, setOpen] = useState<Open>()
  const [signingKey, setSigningKey] = useState<string>()
  const close = () => setOpen(undefined)
  const perform = useAction(async (task: 'test' | 'renew', { id, name }: Webhook) => {
    const params = { id }
    if (task === 'renew') return setSigningKey((await call(ownOperations.renewWebhookKey, { params })).signingKey)
    const result = await call(ownOperations.testWebhook, { params })
    const failure = result.error ?? undefined
    showToast({ tone: failure === undefined ? 'ok' : 'bad', title: failure ?? t('tested', { name }) })
  })
  const onTask = (task: WebhookTask, webhook: Webhook) => {
    if (task === 'test' || task === 'renew') void perform.run(task, webhook)
    else setOpen({ task, webhook })
  }
  const columns = useWebhookColumns(onTask)
  const remove = async ({ id, name }: Webhook) => {
    await call(ownOperations.deleteWebhook, { params: { id } })
    await refreshCall(ownOperations.listWebhooks)
    showToast({ tone: 'ok', title: t('removed', { name }) })
    close()
  }
  return (
    <PageLayout title={t('title')} hideTitle>
      <AdminList
        keyOf={({ id }: Webhook) => id}
        {...{ columns }}
        read={{ data: data && { data, total: data.length }, error, mutate }}
        label={t('title')}
        count={t('count', { count: data?.length ?? 0, number: formatNumber(data?.length ?? 0) })}
        actions={
          <Button variant="primary" onClick={() => setOpen({ task: 'create' })}>
            <Plus aria-hidden />
            {t('new')}
          </Button>
        }
        failure={perform.error}
        blank={{ icon: WebhookIcon, title: t('emptyTitle'), text: t('emptyText') }}
      />
      {(open?.task === 'create' || open?.task === 'edit') && (
        <WebhookDialog webhook={open.webhook} onClose={close} onKey={setSigningKey} />
      )}
      {open?.task === 'log' && <DeliveriesDialog webhook={open.webhook} onClose={close} />}
      {open?.task === 'remove' && (
        <DeleteDialog
          title={t('removeTitle', { name: open.webhook.name })}
          description={t('removeText')}
          confirm={t('removeConfirm')}
          onDelete={() => remove(open.webhook)}
          onClose={close}
        />
      )}
      {signingKey !== undefined && open === undefined && (
        <SigningKeyDialog signingKey={signingKey} onClose={() => setSigningKey(undefined)} />
      )}
    </PageLayout>
  )
}
