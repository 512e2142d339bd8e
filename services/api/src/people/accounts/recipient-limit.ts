import { createHash } from 'node:crypto'
import type { RateRule } from '@capstan/bus/rate-limit-rules'
import { RateLimits } from '@capstan/contract/limits'
import type { RateLimiter } from '../../server/http/rate-limiter.ts'
import type { PeopleDeps } from '../deps.ts'
import type { MailPurpose } from './repository.ts'

const rule: RateRule = {
  kind: 'fixed-window',
  count: RateLimits.recipient.count,
  windowMs: RateLimits.recipient.windowSeconds * 1000,
}

/** Returns the mailbox of an address in a canonical form: lower case, and without a tag after `+`. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const [mailbox = ''] = email.slice(0, at).split('+', 1)
  return `${mailbox || email.slice(0, at)}${email.slice(at)}`.normalize('NFKC').toLowerCase()
}

/**
 * Limits how many mails of one purpose a mailbox gets, for all callers together. Call this directly before sending. Then only
 * sent mails count, and a refusal reveals no more about accounts than a sent mail would.
 * @param isOwner true if the account was last used from the caller's client address. The owner has a separate limit, so that
 * strangers cannot lock out the owner.
 * @throws Problem `request.rate-limited`
 */
export function createRecipientLimit({ config, limiter }: Pick<PeopleDeps, 'config'> & { readonly limiter: RateLimiter }) {
  return async (purpose: MailPurpose, email: string, isOwner = false): Promise<void> => {
    if (!config.rateLimits) return
    // The key is a hash, so Redis never stores the addresses of accounts.
    const mailbox = createHash('sha256').update(mailboxOf(email)).digest('hex')
    await limiter.take(`mail:${purpose}${isOwner ? ':owner' : ''}:${mailbox}`, rule)
  }
}
