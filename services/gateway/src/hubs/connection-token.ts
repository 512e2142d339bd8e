import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

const idBytes = 16
const expiryBytes = 6
const macBytes = 32
const tokenBytes = idBytes + expiryBytes + macBytes

/**
 * Tokens that a client gets in the negotiation and sends when it opens the connection. Each token has an id, an
 * expiry, and an HMAC over hub, id and expiry. Every replica with the same secret accepts the token.
 */
export interface ConnectionTokens {
  issue(hub: string, now: number): string
  isValid(token: string, hub: string, now: number): boolean
}

/**
 * Creates the functions that issue and verify tokens.
 * @param secret shared by all replicas; the HMAC key is derived from it
 * @param lifetimeMs maximum time between negotiation and connection
 */
export function createConnectionTokens(secret: string, lifetimeMs: number): ConnectionTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'capstan hub connection token', 32))
  const sign = (hub: string, payload: Buffer) => createHmac('sha256', key).update(`${hub}\n`).update(payload).digest()

  return {
    issue(hub, now) {
      const payload = Buffer.alloc(idBytes + expiryBytes)
      randomBytes(idBytes).copy(payload)
      payload.writeUIntBE(now + lifetimeMs, idBytes, expiryBytes)
      return Buffer.concat([payload, sign(hub, payload)]).toString('base64url')
    },
    isValid(token, hub, now) {
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length !== tokenBytes) return false
      const payload = bytes.subarray(0, idBytes + expiryBytes)
      const isAuthentic = timingSafeEqual(bytes.subarray(idBytes + expiryBytes), sign(hub, payload))
      return isAuthentic && payload.readUIntBE(idBytes, expiryBytes) > now
    },
  }
}
