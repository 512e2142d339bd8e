import { cryptoRandom } from '../../rules/signing/random.ts'
import { sealText, unsealText } from '../../rules/signing/secret-box.ts'

const context = 'unsubscribe from mails of games'

/** Returns the token in the unsubscribe link of a user. The token never expires, because users may open old mails at any time. */
export function sealUnsubscribeToken(userId: string, serverSecret: string): string {
  return sealText(Buffer.from(userId.replaceAll('-', ''), 'hex'), context, serverSecret, cryptoRandom)
}

/**
 * Returns the user id in the token, as 32 hex digits without hyphens. PostgreSQL accepts this form of a UUID.
 * @returns undefined if the token is forged
 */
export function openUnsubscribeToken(token: string, serverSecret: string): string | undefined {
  try {
    return unsealText(token, context, serverSecret).toString('hex')
  } catch {
    return undefined
  }
}
