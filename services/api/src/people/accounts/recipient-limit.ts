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
export function canonicalMailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const [mailbox = ''] = email.slice(0, at).split('+', 1)
  return `${mailbox || email.slice(0, at)}${email.slice(at)}`.normalize('NFKC').toLowerCase()
}

/**
 * Returns a function that limits the number of mails to a mailbox. Call that function immediately before each mail is sent.
 * @param isOwner true if the caller has the last client address of the account. Owners have a separate limit.
 * @throws Problem `request.rate-limited`
 */
export function createMailLimitPerRecipient({ config, limiter }: Pick<PeopleDeps, 'config'> & { readonly limiter: RateLimiter }) {
  return async (purpose: MailPurpose, email: string, isOwner = false): Promise<void> => {
    if (!config.rateLimits) return
    // The key is a hash, so Redis never stores the addresses of accounts.
    const mailbox = createHash('sha256').update(canonicalMailboxOf(email)).digest('hex')
    await limiter.take(`mail:${purpose}${isOwner ? ':owner' : ''}:${mailbox}`, rule)
  }
}
