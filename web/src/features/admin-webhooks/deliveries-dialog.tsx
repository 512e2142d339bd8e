import { ownOperations } from '@capstan/contract/operations'
import type { Webhook, WebhookDelivery } from '@capstan/contract/webhooks'
import { useTranslation } from 'react-i18next'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { EmptyState, ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { call } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'

const tones: Readonly<Record<WebhookDelivery['state'], BadgeTone>> = {
  ...{ Pending: 'warn', Held: 'neutral', Delivered: 'ok', Refused: 'bad', Dropped: 'neutral' },
}

/** Dialog with the newest events of a webhook, each with its request and its response. */
export function DeliveriesDialog({ webhook, onClose }: Readonly<{ webhook: Webhook; onClose: () => void }>) {
  const { t } = useTranslation('admin-webhooks')
  const { data, error, mutate } = useCall(ownOperations.listWebhookDeliveries, {
    params: { id: webhook.id },
    query: { count: 100 },
  })
  const resend = useAction(async (deliveryId: number) => {
    await call(ownOperations.resendWebhookDelivery, { params: { id: webhook.id, deliveryId } })
    await mutate()
  })
  return (
    <Dialog open onOpenChange={onClose} size="large" title={t('log', { name: webhook.name })} description={t('logText')}>
      {error !== undefined && !data && <ErrorState error={error} onRetry={() => void mutate()} />}
      {!data && error === undefined && <TableSkeleton columns={['120px', '180px']} />}
      {data?.length === 0 && <EmptyState title={t('logEmpty')} />}
      {resend.error !== undefined && (
        <FieldError>
          <ErrorText error={resend.error} />
        </FieldError>
      )}
      <ol className="stack gap-3">
        {data?.map((delivery) => (
          <li key={delivery.id} className="stack gap-1">
            <span className="row gap-2">
              <Badge tone={tones[delivery.state]}>{t(`state.${delivery.state}`)}</Badge>
              <span>{t(`kind.${delivery.kind}`)}</span>
              <span className="muted tiny">
                <RelativeTime at={delivery.occurredAt} />
              </span>
            </span>
            {delivery.error !== null && <span className="muted tiny wrap-anywhere">{delivery.error}</span>}
            {delivery.request !== null && (
              <details>
                <summary>{t('exchange')}</summary>
                <pre className="well wrap-anywhere">{delivery.request}</pre>
                <pre className="well wrap-anywhere">{`${delivery.status ?? '-'} ${delivery.answer ?? ''}`}</pre>
              </details>
            )}
            {(delivery.state === 'Refused' || delivery.state === 'Delivered') && (
              <span>
                <Button size="small" busy={resend.busy} onClick={() => void resend.run(delivery.id)}>
                  {t('resend')}
                </Button>
              </span>
            )}
          </li>
        ))}
      </ol>
    </Dialog>
  )
}
