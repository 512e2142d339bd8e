import { hkdfSync, type KeyObject, sign, verify } from 'node:crypto'
import { privateKeyFromSeed, publicKeyFromRaw, rawKeyBytes, rawPublicKeyOfSeed } from './ed25519.ts'

/** Payload of an API token; times in seconds since 1970. Rules: docs/contract/tokens.md. */
export type ApiTokenPayload = Readonly<{
  jti: string
  iat: number
  exp?: number
}>

export type ApiTokenKey = Readonly<{
  privateKey: KeyObject
  publicKey: KeyObject
}>

/** Derives the key from the server secret (HKDF-SHA256), so that all processes have the same key and none is stored. */
export function deriveApiTokenKey(serverSecret: string): ApiTokenKey {
  if (serverSecret === '') throw new Error('The server secret is empty')
  const seed = Buffer.from(hkdfSync('sha256', serverSecret, '', 'capstan api tokens v1', rawKeyBytes))
  return { privateKey: privateKeyFromSeed(seed), publicKey: publicKeyFromRaw(rawPublicKeyOfSeed(seed)) }
}

/** Signs a token. @returns `{payload}.{signature}`, both Base64url: the JSON, and an Ed25519 signature of its Base64url text */
export function signApiToken(payload: ApiTokenPayload, { privateKey }: ApiTokenKey): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
}

/** Verifies a token. @returns its id, or undefined if the token was not signed with this key */
export function readApiTokenId(token: string, { publicKey }: ApiTokenKey): string | undefined {
  const [text = '', signatureText = ''] = token.split('.', 2)
  const signature = Buffer.from(signatureText, 'base64url')
  // Only the canonical Base64url of a signature is valid; a decoder ignores some bits of its last character.
  if (`${text}.${signature.toString('base64url')}` !== token) return undefined
  if (!verify(null, Buffer.from(text), publicKey, signature)) return undefined
  return (JSON.parse(Buffer.from(text, 'base64url').toString()) as ApiTokenPayload).jti
}
