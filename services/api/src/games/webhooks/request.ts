// Requests to webhooks, with decrypted secrets.
import { Limits } from '@capstan/contract/limits'
import { unsealText } from '../../rules/signing/secret-box.ts'
import type { OutgoingRequest } from '../../server/outgoing/fenced-fetch.ts'
import { type FencedFetch, OutgoingError } from '../../server/outgoing/fenced-fetch.ts'
import type { Outcome } from './backoff.ts'
import type { WebhookRow } from './repository.ts'
import { createSignatureHeaders } from './signature.ts'

/**
 * Returns the context for the encryption of a value. The context includes the webhook and the purpose. An encrypted value is
 * therefore invalid in the place of another value.
 */
export function encryptionContextOfSecret(webhookId: string, purpose: 'address' | 'authorization' | 'key'): string {
  return `webhook ${webhookId} ${purpose}`
}

type Message = Readonly<{
  eventId: string
  body: string
}>

function activeKeys({ signingKey, previousKey, previousKeyUntil }: WebhookRow, now: Date): string[] {
  const isPreviousActive = previousKey !== null && previousKeyUntil !== null && previousKeyUntil > now
  return isPreviousActive ? [signingKey, previousKey] : [signingKey]
}

/**
 * Returns method and address of a request. Matrix receives a PUT with the id of the message in the URL, and ignores a second
 * request with the same id. All other services receive a POST.
 */
function placeOf(
  { service }: WebhookRow,
  address: string,
  eventId: string,
): Required<Pick<OutgoingRequest, 'method'>> & { address: string } {
  if (service !== 'Matrix') return { method: 'POST', address }
  return { method: 'PUT', address: `${address.replace(/\/$/, '')}/${eventId}` }
}

export type RequestResult = Outcome &
  Readonly<{
    answer: string | null
    error: string | null
  }>

/** Sends an event once. A failure is part of the result. */
export async function sendWebhookMessage(
  { outgoing, secretKey }: Readonly<{ outgoing: FencedFetch; secretKey: string }>,
  webhook: WebhookRow,
  { eventId, body }: Message,
  now: Date,
): Promise<RequestResult> {
  const open = (sealed: string, purpose: Parameters<typeof encryptionContextOfSecret>[1]) =>
    unsealText(sealed, encryptionContextOfSecret(webhook.id, purpose), secretKey).toString('utf8')
  const keys = activeKeys(webhook, now).map((key) => open(key, 'key'))
  const { address, method } = placeOf(webhook, open(webhook.address, 'address'), eventId)
  const headers = {
    'content-type': 'application/json',
    ...createSignatureHeaders({ id: eventId, at: now, body }, keys),
    ...(webhook.authorization !== null && { authorization: open(webhook.authorization, 'authorization') }),
  }
  try {
    const { status, headers: received, text } = await outgoing.request(address, { method, headers, body })
    const answer = text.replaceAll('\u0000', '').slice(0, Limits.maxWebhookTextLength)
    const isSuccess = status >= 200 && status < 300
    return { status, retryAfter: received['retry-after'], answer, error: isSuccess ? null : `The receiver answered ${status}.` }
  } catch (error) {
    if (error instanceof OutgoingError) return { answer: null, error: error.message }
    throw error
  }
}
