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

/** The mailbox behind an address, as far as providers agree: without regard to case, and without a tag after `+`. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const [mailbox = ''] = email.slice(0, at).split('+', 1)
  return `${mailbox || email.slice(0, at)}${email.slice(at)}`.normalize('NFKC').toLowerCase()
}

/**
 * Bounds the mails of a purpose to one mailbox, from all callers together. Call it when a mail is about to be sent: then a refusal reveals
 * no more than the mail would have, and only sent mails are counted.
 * @param isOwner true if the account's owner was last seen at the caller's address. Its mails count apart, so that strangers who use up
 *   those of a mailbox keep no owner out.
 * @throws Problem `request.rate-limited`
 */
export function createRecipientLimit({ config, limiter }: Pick<PeopleDeps, 'config'> & { readonly limiter: RateLimiter }) {
  return async (purpose: MailPurpose, email: string, isOwner = false): Promise<void> => {
    if (!config.rateLimits) return
    // Only the hash leaves the process: Redis need not know who has an account.
    const mailbox = createHash('sha256').update(mailboxOf(email)).digest('hex')
    await limiter.take(`mail:${purpose}${isOwner ? ':owner' : ''}:${mailbox}`, rule)
  }
}
