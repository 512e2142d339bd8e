import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import {
  createWebhook,
  deleteWebhook,
  listDeliveriesOfWebhook,
  listWebhooks,
  previewWebhook,
  renewWebhookKey,
  resendDelivery,
  sendTestEvent,
  updateWebhook,
} from './service.ts'

export const webhookRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app

  app.operation(ownOperations.listWebhooks, async () => listWebhooks(deps))
  app.operation(ownOperations.createWebhook, async ({ user, body, record }) => {
    const created = await createWebhook(deps, user.id, body)
    record(`Created the webhook ${created.webhook.name}`)
    return created
  })
  app.operation(ownOperations.updateWebhook, async ({ params, body, record }) => {
    const webhook = await updateWebhook(deps, params.id, body)
    record(`Changed the webhook ${webhook.name}`)
    return webhook
  })
  app.operation(ownOperations.deleteWebhook, async ({ params, record }) => {
    record(`Deleted the webhook ${await deleteWebhook(deps, params.id)}`)
  })
  app.operation(ownOperations.renewWebhookKey, async ({ params, record }) => {
    const { name, signingKey } = await renewWebhookKey(deps, params.id)
    record(`Renewed the signing key of the webhook ${name}`)
    return { signingKey }
  })
  app.operation(ownOperations.previewWebhook, async ({ body }) => previewWebhook(deps, body))
  app.operation(ownOperations.testWebhook, async ({ params, record }) => {
    const { name, ...result } = await sendTestEvent(deps, params.id)
    record(`Tested the webhook ${name}`, result.error === null ? {} : { status: 'Failed' })
    return result
  })
  app.operation(ownOperations.listWebhookDeliveries, async ({ params, query }) =>
    listDeliveriesOfWebhook(deps, params.id, { count: query.count ?? PageLimits.default, skip: query.skip ?? 0 }),
  )
  app.operation(ownOperations.resendWebhookDelivery, async ({ params, record }) => {
    await resendDelivery(deps, params.id, params.deliveryId)
    record(`Sent event ${params.deliveryId} of a webhook again`)
  })
}
