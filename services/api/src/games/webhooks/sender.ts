// Sends events to webhooks. Reasons: docs/adr/0068-fenced-requests-and-outgoing-events.md.
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Transaction } from '@capstan/db/client'
import type { FastifyBaseLogger } from 'fastify'
import type { ServerDeps } from '../../server/deps.ts'
import { recordSystemAction } from '../../server/logs/record.ts'
import { classifyDeliveryOutcome, getRetryDelayMs, hasWebhookFailedTooLong } from './backoff.ts'
import { mailOwnerOfDisabledWebhook } from './owner-mail.ts'
import { findReasonNotToSendEvent } from './policy.ts'
import { createDeliveryRepository, createWebhookRepository, type DeliveryDetails, type WebhookRow } from './repository.ts'
import { type RequestResult, sendWebhookMessage } from './request.ts'
import { renderWebhookBody } from './template.ts'

const pollMs = 1_000

/**
 * Maximum number of webhooks to which a process sends at the same time. Each of these requests uses a database connection until
 * the response arrives.
 */
const maxConcurrent = 4

/** Number of events in one turn. After its turn, a webhook waits if other webhooks have events to send. */
const eventsPerTurn = 20

export type WebhookSenderDeps = Pick<ServerDeps, 'db' | 'clock' | 'config' | 'outgoing' | 'platformLog' | 'mailer'> &
  Readonly<{ log: Pick<FastifyBaseLogger, 'error'> }>

export interface WebhookSender {
  /** Sends all events that are due. */
  deliver(): Promise<void>
  /** Starts to look for due events every second. */
  start(): void
  stop(): Promise<void>
}

function reasonToDrop({ delivery, game, challenge, status, isCurrent }: DeliveryDetails): string | undefined {
  return findReasonNotToSendEvent({
    kind: delivery.kind,
    isGameHidden: game.hidden,
    hasChallenge: delivery.challengeId !== null,
    challenge,
    isTeamAccepted: status === 'Accepted',
    isCurrent,
  })
}

function bodyOf(
  webhook: WebhookRow,
  { delivery, game, challenge, teamName, noticeText, ticketSubject }: DeliveryDetails,
  origin?: string,
): string {
  if (delivery.body !== null) return delivery.body
  return renderWebhookBody(webhook, delivery.kind, {
    game: game.title,
    challenge: challenge?.title,
    category: challenge?.category,
    team: teamName,
    text: noticeText ?? ticketSubject ?? delivery.reason,
    url: origin && `${origin}/games/${delivery.gameId}${delivery.kind === 'Ticket' ? '/monitor/tickets' : ''}`,
    occurredAt: delivery.occurredAt,
  })
}

/**
 * Sends events at least once, and in order per webhook. Every replica may run a sender. An advisory lock assigns each webhook to
 * one replica, and is released if that replica crashes.
 */
export function createWebhookSender(deps: WebhookSenderDeps): WebhookSender {
  const { db, clock, config, outgoing, platformLog, log } = deps
  const active = new Map<string, Promise<void>>()
  /** Map from each webhook to the number of its last turn. A lower number means an older turn. */
  const lastTurns = new Map<string, number>()
  let turns = 0
  let isPlaceWanted = false
  /**
   * Time of the last search for due starts, freezes and ends. Events after this time wait, because a start, freeze or end that is
   * not found yet may precede them.
   */
  let searchedAt = new Date(0)
  const limit = Math.max(1, Math.min(maxConcurrent, Math.floor(config.databaseConnections / 4)))
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> = Promise.resolve()
  let isStarted = false
  let isStopping = false

  const switchOff = async (transaction: Transaction, webhook: WebhookRow, reason: string): Promise<void> => {
    await createWebhookRepository(transaction).update(webhook.id, { isEnabled: false, disabledReason: reason })
    await mailOwnerOfDisabledWebhook(deps, transaction, webhook, reason)
    recordSystemAction(platformLog, {
      level: 'Error',
      message: `Switched off the webhook ${webhook.name}: ${reason}`,
      status: 'Failed',
    })
  }

  const store = async (
    transaction: Transaction,
    webhook: WebhookRow,
    details: DeliveryDetails,
    sent: RequestResult & { body: string },
  ) => {
    const hooks = createWebhookRepository(transaction)
    const now = clock.now()
    const verdict = classifyDeliveryOutcome(sent)
    const { body, status = null, answer, error } = sent
    const state = verdict === 'delivered' ? 'Delivered' : verdict === 'refused' ? 'Refused' : 'Pending'
    await createDeliveryRepository(transaction).update(details.delivery.id, {
      ...{ state, attempts: details.delivery.attempts + 1, attemptedAt: now, body, status, answer, error },
    })
    if (verdict === 'failed') {
      const failures = webhook.failures + 1
      const failingSince = webhook.failingSince ?? now
      const nextAttemptAt = new Date(now.getTime() + getRetryDelayMs(failures, sent, now))
      await hooks.update(webhook.id, { failures, failingSince, nextAttemptAt, lastError: error })
      if (hasWebhookFailedTooLong(failingSince, now))
        await switchOff(transaction, webhook, `It has failed for ${Limits.maxWebhookFailureHours} hours. ${error ?? ''}`.trim())
      return
    }
    const refusals = verdict === 'refused' ? webhook.refusals + 1 : 0
    if (refusals !== webhook.refusals || webhook.failures > 0)
      await hooks.update(webhook.id, { failures: 0, failingSince: null, refusals, lastError: error })
    if (status === 410) await switchOff(transaction, webhook, 'The receiver answered that the address no longer exists.')
    else if (refusals >= Limits.maxRefusedEvents)
      await switchOff(transaction, webhook, `It refused ${refusals} events in a row. ${error ?? ''}`.trim())
  }

  /** Sends the next event of a webhook. @returns false if there is no event to send now */
  const sendNext = (webhookId: string): Promise<boolean> =>
    db.transaction(async (transaction) => {
      const deliveries = createDeliveryRepository(transaction)
      if (!(await deliveries.tryLock(webhookId))) return false
      const now = clock.now()
      const webhook = await createWebhookRepository(transaction).find(webhookId)
      if (!webhook?.isEnabled || webhook.nextAttemptAt > now) return false
      const details = await deliveries.findNext(webhookId, searchedAt)
      if (!details) return false
      const drop = async (error: string) => {
        await deliveries.update(details.delivery.id, { state: 'Dropped', error })
        return true
      }
      const reason = reasonToDrop(details)
      if (reason !== undefined) return drop(reason)
      let body: string
      try {
        body = bodyOf(webhook, details, config.publicOrigin)
      } catch (error) {
        if (error instanceof Problem) return drop('The template is not valid JSON.')
        throw error
      }
      const { eventId } = details.delivery
      const result = await sendWebhookMessage({ outgoing, secretKey: config.secretKey }, webhook, { eventId, body }, now)
      await store(transaction, webhook, details, { ...result, body })
      return true
    })

  /** Sends the events of a webhook until no event is due, or until its turn is over and another webhook waits. */
  const sendTurn = async (webhookId: string): Promise<void> => {
    for (let sent = 0; !isStopping && (sent < eventsPerTurn || !isPlaceWanted); sent++) if (!(await sendNext(webhookId))) return
  }

  /** Starts to send due events to at most `limit` webhooks at once. Waiting webhooks take turns. */
  const startDue = async (): Promise<void> => {
    const now = clock.now()
    const deliveries = createDeliveryRepository(db)
    await deliveries.addPhases(now)
    searchedAt = now
    const waiting = (await deliveries.listDue(now))
      .filter((id) => !active.has(id))
      .sort((left, right) => (lastTurns.get(left) ?? 0) - (lastTurns.get(right) ?? 0))
    isPlaceWanted = active.size + waiting.length > limit
    for (const id of waiting.slice(0, limit - active.size)) {
      lastTurns.set(id, ++turns)
      const work = sendTurn(id)
        .catch((error: unknown) => log.error({ err: error, webhookId: id }, 'Could not send events to a webhook'))
        .finally(() => active.delete(id))
      active.set(id, work)
    }
  }

  const poll = (): void => {
    polling = startDue()
      .catch((error: unknown) => log.error({ err: error }, 'Could not read the events for webhooks'))
      .then(() => {
        if (!isStopping) timer = setTimeout(poll, pollMs)
      })
  }

  return {
    async deliver() {
      do {
        await startDue()
        await Promise.all(active.values())
      } while ((await createDeliveryRepository(db).listDue(clock.now())).length > 0)
    },
    start() {
      if (isStarted) return
      isStarted = true
      poll()
    },
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await polling
      await Promise.all(active.values())
    },
  }
}
