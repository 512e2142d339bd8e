import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { SignInProfile } from '@capstan/contract/sign-in'
import { openSealedValue, sealValue } from '../../rules/signing/sealed-value.ts'
import type { ApiConfig } from '../../server/config.ts'
import { createHostCookie } from '../../server/sessions/host-cookie.ts'
import type { ProviderRow } from './repository.ts'

/** Request to connect a provider to an existing account. The user must confirm the request by a login in the same browser. */
export type PendingLink = Readonly<{
  provider: Pick<ProviderRow, 'id' | 'kind' | 'issuer'>
  profile: SignInProfile
  /** User who must confirm the request by a login. */
  userId: string
  /** Time at which the link expires, in ms since 1970. */
  expiresAt: number
}>

const context = 'pending link'

export function pendingLinkCookie({ publicOrigin }: Pick<ApiConfig, 'publicOrigin'>) {
  return createHostCookie(publicOrigin, { name: 'capstan_link', sameSite: 'strict', maxAge: Limits.pendingLinkMinutes * 60 })
}

export function sealPendingLink(link: Omit<PendingLink, 'expiresAt'>, serverSecret: string, now: Date): string {
  return sealValue({ ...link, expiresAt: now.getTime() + Limits.pendingLinkMinutes * 60_000 }, context, serverSecret)
}

/** Refusal of a sign-in that the user can link to an existing account. The caller stores the sealed link in the cookie. */
export class LinkOffered extends Problem {
  readonly link: string
  constructor(link: string, values: Readonly<{ provider: string; label: string }>) {
    super('sign-in.link-offered', { text: { code: 'sign-in.link-offered.with', values } })
    this.link = link
  }
}

/** @returns undefined if the cookie is absent, forged or expired */
export function openPendingLink(cookie: string | undefined, serverSecret: string, now: Date): PendingLink | undefined {
  return openSealedValue<PendingLink>(cookie, context, serverSecret, now)
}
