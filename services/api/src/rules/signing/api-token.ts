import { hkdfSync, type KeyObject, sign, verify } from 'node:crypto'
import { privateKeyFromSeed, publicKeyFromRaw, rawKeyBytes, rawPublicKeyOfSeed } from './ed25519.ts'

/** What a token says of itself; times in seconds since 1970. Rules: docs/contract/tokens.md. */
export type ApiTokenPayload = Readonly<{
  jti: string
  iat: number
  exp?: number
}>

export type ApiTokenKey = Readonly<{
  privateKey: KeyObject
  publicKey: KeyObject
}>

/** Derived from the server secret for this one use (HKDF-SHA256), so that every process has the same and none is stored. */
export function deriveApiTokenKey(serverSecret: string): ApiTokenKey {
  if (serverSecret === '') throw new Error('The server secret is empty')
  const seed = Buffer.from(hkdfSync('sha256', serverSecret, '', 'capstan api tokens v1', rawKeyBytes))
  return { privateKey: privateKeyFromSeed(seed), publicKey: publicKeyFromRaw(rawPublicKeyOfSeed(seed)) }
}

/** @returns `{payload}.{signature}`: Base64url of the payload as JSON, and of the Ed25519 signature of that text */
export function signApiToken(payload: ApiTokenPayload, { privateKey }: ApiTokenKey): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
}

/** @returns the id in a token that was signed with this key, undefined for any other text */
export function readApiTokenId(token: string, { publicKey }: ApiTokenKey): string | undefined {
  const [text = '', signatureText = ''] = token.split('.', 2)
  const signature = Buffer.from(signatureText, 'base64url')
  // One text for one signature: the last character holds bits that say nothing.
  if (`${text}.${signature.toString('base64url')}` !== token) return undefined
  if (!verify(null, Buffer.from(text), publicKey, signature)) return undefined
  return (JSON.parse(Buffer.from(text, 'base64url').toString()) as ApiTokenPayload).jti
}
