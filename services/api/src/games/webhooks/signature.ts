// Signatures of webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const keyBytes = 32

export function createWebhookSigningKey(): string {
  return `${prefix}${randomBytes(keyBytes).toString('base64')}`
}

type SignedContent = Readonly<{
  id: string
  at: Date
  body: string
}>

/**
 * Returns the headers of a request. If there are several keys, the headers contain one signature for each key, and a receiver
 * accepts the request if one signature is valid.
 */
export function createSignatureHeaders({ id, at, body }: SignedContent, keys: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const sign = (key: string): string => {
    const secret = Buffer.from(key.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  }
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': keys.map(sign).join(' ') }
}
