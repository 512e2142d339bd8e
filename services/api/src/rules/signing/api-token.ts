import { hkdfSync, type KeyObject, sign, verify } from 'node:crypto'
import { privateKeyFromSeed, publicKeyFromRaw, rawKeyBytes, rawPublicKeyOfSeed } from './ed25519.ts'

/** Payload of an API token. Times are in seconds since 1970. Rules: docs/contract/tokens.md. */
export type ApiTokenPayload = Readonly<{
  jti: string
  iat: number
  exp?: number
}>

export type ApiTokenKey = Readonly<{
  privateKey: KeyObject
  publicKey: KeyObject
}>

/** Derives the key from the server secret (HKDF-SHA256). All processes derive the same key, so no key is stored. */
export function deriveApiTokenKey(serverSecret: string): ApiTokenKey {
  if (serverSecret === '') throw new Error('The server secret is empty')
  const seed = Buffer.from(hkdfSync('sha256', serverSecret, '', 'capstan api tokens v1', rawKeyBytes))
  return { privateKey: privateKeyFromSeed(seed), publicKey: publicKeyFromRaw(rawPublicKeyOfSeed(seed)) }
}

/**
 * Signs a token.
 * @returns `{payload}.{signature}`, both in Base64url. The signature (Ed25519) covers the encoded payload
 */
export function signApiToken(payload: ApiTokenPayload, { privateKey }: ApiTokenKey): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
}

/**
 * Verifies a token.
 * @returns the id of the token, or undefined if the token was not signed with this key
 */
export function verifyApiToken(token: string, { publicKey }: ApiTokenKey): string | undefined {
  const [text = '', signatureText = ''] = token.split('.', 2)
  const signature = Buffer.from(signatureText, 'base64url')
  // A decoder ignores some bits of the last character. Only the canonical encoding is valid.
  if (`${text}.${signature.toString('base64url')}` !== token) return undefined
  if (!verify(null, Buffer.from(text), publicKey, signature)) return undefined
  return (JSON.parse(Buffer.from(text, 'base64url').toString()) as ApiTokenPayload).jti
}
