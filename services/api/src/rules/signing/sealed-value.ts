import { cryptoRandom } from './random.ts'
import { sealText, unsealText } from './secret-box.ts'

/** Value that the server gives to a client to store, and that expires. */
export type Expiring = Readonly<{
  /** Expiry time of the value, in ms since 1970. */
  expiresAt: number
}>

/** Encrypts a value for a client, so that the server need not store it. @param context purpose and owner of the value */
export function sealValue(value: Expiring, context: string, serverSecret: string): string {
  return sealText(Buffer.from(JSON.stringify(value)), context, serverSecret, cryptoRandom)
}

/**
 * Decrypts a result of `sealValue`.
 * @returns undefined if it is absent, forged, expired or sealed for another context
 */
export function openSealedValue<Value extends Expiring>(
  sealed: string | undefined,
  context: string,
  serverSecret: string,
  now: Date,
): Value | undefined {
  if (!sealed) return undefined
  try {
    const value = JSON.parse(unsealText(sealed, context, serverSecret).toString()) as Value
    return value.expiresAt > now.getTime() ? value : undefined
  } catch {
    return undefined
  }
}
