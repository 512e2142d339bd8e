import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { Random } from './random.ts'

const version = 'v1'
const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Derives a key that is used only for sealed values, because the server secret also has other uses. */
function keyOf(serverSecret: string): Buffer {
  if (serverSecret === '') throw new Error('The server secret is empty')
  return Buffer.from(hkdfSync('sha256', serverSecret, '', 'capstan secret box v1', 32))
}

/**
 * Encrypts a value for storage: AES-256-GCM with a random nonce. The key is derived from `serverSecret` (HKDF-SHA256).
 * @param context purpose and owner of the value. `unsealText` needs the same context, so sealed values cannot be swapped
 * @returns `v1.{nonce}.{ciphertext and tag}`, the two parts in Base64url
 */
export function sealText(plain: Uint8Array, context: string, serverSecret: string, random: Random): string {
  const nonce = Buffer.from(random.hex(nonceBytes), 'hex')
  const cipher = createCipheriv(algorithm, keyOf(serverSecret), nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(context, 'utf8'))
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return `${version}.${nonce.toString('base64url')}.${body.toString('base64url')}`
}

/**
 * Decrypts the result of `sealText`.
 * @throws Error (a defect, not a problem) if the text is malformed or changed, or if context or secret differ
 */
export function unsealText(sealed: string, context: string, serverSecret: string): Buffer {
  const [givenVersion, nonceText, bodyText, ...rest] = sealed.split('.')
  if (givenVersion !== version || nonceText === undefined || bodyText === undefined || rest.length > 0)
    throw new Error('Could not open a sealed value: it is malformed')
  const nonce = Buffer.from(nonceText, 'base64url')
  const body = Buffer.from(bodyText, 'base64url')
  if (nonce.length !== nonceBytes || body.length < tagBytes) throw new Error('Could not open a sealed value: it is too short')
  const decipher = createDecipheriv(algorithm, keyOf(serverSecret), nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context, 'utf8'))
  decipher.setAuthTag(body.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(body.subarray(0, -tagBytes)), decipher.final()])
  } catch (cause) {
    throw new Error('Could not open a sealed value: it was changed, or the server secret or its owner differs', { cause })
  }
}
