import type { Webhook, WebhookDelivery } from '@capstan/contract/webhooks'
import { isEventHiddenByFreeze } from './policy.ts'
import type { DeliveryDetails, NamedWebhook } from './repository.ts'

export function presentWebhook({ webhook, gameTitle, pending }: NamedWebhook): Webhook {
  const { id, name, service, gameId, kinds, isForOrganizers, language, template, isEnabled, host } = webhook
  const isFailing = webhook.failures > 0
  return {
    ...{ id, name, service, gameId, isForOrganizers, language, template, isEnabled, host, gameTitle, pending },
    kinds: kinds as Webhook['kinds'],
    hasAuthorization: webhook.authorization !== null,
    disabledReason: webhook.disabledReason,
    lastError: webhook.lastError,
    nextAttemptAt: isFailing ? webhook.nextAttemptAt.toISOString() : null,
    createdAt: webhook.createdAt.toISOString(),
  }
}

export function presentDelivery({ delivery, game }: DeliveryDetails, now: Date): WebhookDelivery {
  const { id, eventId, kind, occurredAt, attempts, attemptedAt, status, answer, error } = delivery
  const { freezeAt, revealedAt } = game
  const isPending = delivery.state === 'Pending'
  return {
    ...{ id, eventId, kind, attempts, status, answer, error },
    state: isPending && isEventHiddenByFreeze({ kind, occurredAt, freezeAt, revealedAt }, now) ? 'Held' : delivery.state,
    gameTitle: game.title,
    occurredAt: occurredAt.toISOString(),
    attemptedAt: attemptedAt?.toISOString() ?? null,
    request: delivery.body,
  }
}
