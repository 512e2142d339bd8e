// Webhooks and their deliveries. Rules: docs/contract/webhooks.md.
import { randomUUID } from 'node:crypto'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type {
  Webhook as WebhookAnswer,
  WebhookCreated,
  WebhookDelivery,
  WebhookKey,
  WebhookPreview,
  WebhookPreviewInput,
  WebhookTestResult,
  WebhookWrite,
} from '@capstan/contract/webhooks'
import type { Executor } from '@capstan/db/client'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { sealText, unsealText } from '../../rules/signing/secret-box.ts'
import type { ServerDeps } from '../../server/deps.ts'
import { OutgoingError } from '../../server/outgoing/fenced-fetch.ts'
import { assertAllowedWebhookKinds } from './policy.ts'
import { presentDelivery, presentWebhook } from './presenter.ts'
import { createDeliveryRepository, createWebhookRepository, type WebhookRow, type WebhookSettings } from './repository.ts'
import { encryptionContextOfSecret, sendWebhookMessage } from './request.ts'
import { createWebhookSigningKey } from './signature.ts'
import { type EventFacts, renderWebhookBody } from './template.ts'

type WebhookDeps = Pick<ServerDeps, 'db' | 'clock' | 'config' | 'outgoing'>

/** Data of an invented event, for previews and tests. */
function exampleFacts(now: Date, origin: string | undefined): EventFacts {
  return {
    game: 'Example CTF',
    challenge: 'Example challenge',
    category: 'Web',
    team: 'Example team',
    text: 'This is an example.',
    url: origin && `${origin}/games`,
    occurredAt: now,
  }
}

function sealFor(
  { config }: WebhookDeps,
  id: string,
  purpose: Parameters<typeof encryptionContextOfSecret>[1],
  text: string,
): string {
  return sealText(Buffer.from(text, 'utf8'), encryptionContextOfSecret(id, purpose), config.secretKey, cryptoRandom)
}

/**
 * Returns the changed secrets. If a secret is null or absent, the stored secret is retained. An empty authorization deletes the
 * stored authorization.
 */
function changedSecrets(deps: WebhookDeps, id: string, { address, authorization }: WebhookWrite): Partial<WebhookSettings> {
  const changed: Partial<WebhookSettings> = {}
  const given = address?.trim() ?? ''
  if (given !== '') {
    try {
      changed.host = deps.outgoing.check(given).host
    } catch (error) {
      if (error instanceof OutgoingError) throw new Problem('webhook.address', { detail: error.message })
      throw error
    }
    changed.address = sealFor(deps, id, 'address', given)
  }
  if (authorization === '') changed.authorization = null
  else if (authorization) changed.authorization = sealFor(deps, id, 'authorization', authorization)
  return changed
}

/** @throws Problem `webhook.authorization` if the stored authorization would be sent to a new address with another origin */
function checkRetained({ config }: WebhookDeps, stored: WebhookRow, { address, authorization }: WebhookWrite): void {
  const given = address?.trim() ?? ''
  if (given === '' || authorization !== null || stored.authorization === null) return
  const before = unsealText(stored.address, encryptionContextOfSecret(stored.id, 'address'), config.secretKey).toString('utf8')
  if (new URL(given).origin !== new URL(before).origin) throw new Problem('webhook.authorization')
}

async function checkedSettings(deps: WebhookDeps, executor: Executor, written: WebhookWrite): Promise<WebhookSettings> {
  const { service, gameId, isForOrganizers, language, template, isEnabled } = written
  const kinds = [...new Set(written.kinds)]
  assertAllowedWebhookKinds(kinds, isForOrganizers)
  for (const kind of kinds) renderWebhookBody({ service, language, template }, kind, exampleFacts(deps.clock.now(), undefined))
  if (gameId !== null && (await createWebhookRepository(executor).findGame(gameId)) === undefined)
    throw new Problem('game.unknown')
  return { name: written.name.trim(), service, gameId, kinds, isForOrganizers, language, template, isEnabled }
}

async function present(deps: WebhookDeps, id: string): Promise<WebhookAnswer> {
  const row = await createWebhookRepository(deps.db).findNamed(id, deps.clock.now())
  if (!row) throw new Problem('webhook.unknown')
  return presentWebhook(row)
}

export async function listWebhooks({ db, clock }: WebhookDeps): Promise<WebhookAnswer[]> {
  return (await createWebhookRepository(db).list(clock.now())).map(presentWebhook)
}

/** @throws Problem `webhook.address`, `webhook.kinds`, `webhook.template`, `webhook.too-many`, `game.unknown` */
export async function createWebhook(deps: WebhookDeps, creatorId: string, written: WebhookWrite): Promise<WebhookCreated> {
  const { db, clock } = deps
  const hooks = createWebhookRepository(db)
  const id = randomUUID()
  const settings = await checkedSettings(deps, db, written)
  const { address, host, authorization = null } = changedSecrets(deps, id, written)
  if (address === undefined || host === undefined) throw new Problem('webhook.address')
  // Concurrent calls may create more webhooks than allowed. This is harmless, because the limit need not be exact.
  if ((await hooks.count()) >= Limits.maxWebhooks) throw new Problem('webhook.too-many')
  const signingKey = createWebhookSigningKey()
  const now = clock.now()
  await hooks.insert({
    ...{ id, ...settings, address, host, authorization, creatorId, createdAt: now, nextAttemptAt: now },
    signingKey: sealFor(deps, id, 'key', signingKey),
  })
  return { webhook: await present(deps, id), signingKey }
}

/** @throws Problem `webhook.unknown`, `webhook.authorization`, and the problems of `createWebhook` */
export async function updateWebhook(deps: WebhookDeps, id: string, written: WebhookWrite): Promise<WebhookAnswer> {
  const { db, clock } = deps
  const hooks = createWebhookRepository(db)
  const stored = await hooks.find(id)
  if (!stored) throw new Problem('webhook.unknown')
  const change = { ...(await checkedSettings(deps, db, written)), ...changedSecrets(deps, id, written) }
  checkRetained(deps, stored, written)
  const cleared = {
    failures: 0,
    failingSince: null,
    refusals: 0,
    lastError: null,
    disabledReason: null,
    nextAttemptAt: clock.now(),
  }
  if (!(await hooks.update(id, { ...change, ...cleared }))) throw new Problem('webhook.unknown')
  return present(deps, id)
}

/** @returns the name of the webhook @throws Problem `webhook.unknown` */
export async function deleteWebhook({ db }: WebhookDeps, id: string): Promise<string> {
  const name = await createWebhookRepository(db).delete(id)
  if (name === undefined) throw new Problem('webhook.unknown')
  return name
}

/** Replaces the signing key. The previous key signs for one more day. @throws Problem `webhook.unknown` */
export async function renewWebhookKey(deps: WebhookDeps, id: string): Promise<WebhookKey & { readonly name: string }> {
  const hooks = createWebhookRepository(deps.db)
  const webhook = await hooks.find(id)
  if (!webhook) throw new Problem('webhook.unknown')
  const signingKey = createWebhookSigningKey()
  const previousKeyUntil = new Date(deps.clock.now().getTime() + Limits.previousKeyHours * 3_600_000)
  const change = { signingKey: sealFor(deps, id, 'key', signingKey), previousKey: webhook.signingKey, previousKeyUntil }
  if (!(await hooks.update(id, change))) throw new Problem('webhook.unknown')
  return { signingKey, name: webhook.name }
}

/** @throws Problem `webhook.template` */
export function previewWebhook({ clock, config }: WebhookDeps, { kind, ...format }: WebhookPreviewInput): WebhookPreview {
  const body = renderWebhookBody(format, kind, exampleFacts(clock.now(), config.publicOrigin))
  return { body: JSON.stringify(JSON.parse(body), null, 2) }
}

/** Sends an invented event once, even if the webhook is switched off. @throws Problem `webhook.unknown`, `webhook.template` */
export async function sendTestEvent(deps: WebhookDeps, id: string): Promise<WebhookTestResult & { readonly name: string }> {
  const { db, clock, config, outgoing } = deps
  const webhook = await createWebhookRepository(db).find(id)
  if (!webhook) throw new Problem('webhook.unknown')
  const now = clock.now()
  const body = renderWebhookBody(webhook, 'Notice', exampleFacts(now, config.publicOrigin))
  const result = await sendWebhookMessage(
    { outgoing, secretKey: config.secretKey },
    webhook,
    { eventId: randomUUID(), body },
    now,
  )
  const { status = null, answer, error } = result
  return { name: webhook.name, status, answer, error }
}

/** @throws Problem `webhook.unknown` */
export async function listDeliveriesOfWebhook(
  { db, clock }: WebhookDeps,
  id: string,
  page: Readonly<{ count: number; skip: number }>,
): Promise<WebhookDelivery[]> {
  if (!(await createWebhookRepository(db).find(id))) throw new Problem('webhook.unknown')
  const now = clock.now()
  return (await createDeliveryRepository(db).listPage(id, page)).map((row) => presentDelivery(row, now))
}

/** @throws Problem `delivery.unknown`, `delivery.pending` */
export async function resendDelivery({ db }: WebhookDeps, webhookId: string, deliveryId: number): Promise<void> {
  const deliveries = createDeliveryRepository(db)
  if (await deliveries.resend(webhookId, deliveryId)) return
  throw new Problem((await deliveries.exists(webhookId, deliveryId)) ? 'delivery.pending' : 'delivery.unknown')
}

/** Deletes sent events after the retention period. */
export async function pruneDeliveries({ db, clock }: Pick<ServerDeps, 'db' | 'clock'>): Promise<void> {
  await createDeliveryRepository(db).deleteSentBefore(new Date(clock.now().getTime() - Limits.webhookLogDays * 24 * 3_600_000))
}
