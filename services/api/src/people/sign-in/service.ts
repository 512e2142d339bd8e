// Sign-in with identity providers, and the links between accounts and providers (ADR 69). An account is found only by the subject
// that the provider sends. Name and address do not identify an account, because users can change them at many providers.

import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { OwnIdentities, SignInFinished, SignInProfile, SignInPurpose, SignInStart } from '@capstan/contract/sign-in'
import { signedOutPath, signInReturnPath } from '@capstan/contract/sign-in-paths'
import type { Executor } from '@capstan/db/client'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { type MailContext, queueMail } from '../../server/mail/service.ts'
import { renderMailWithoutPlaceholders } from '../../server/mail/templates.ts'
import { type LoginProof, requireProof, requireSession } from '../../server/sessions/proof.ts'
import { createSessionToken } from '../../server/sessions/session-token.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { readSettings } from '../../server/settings/service.ts'
import { getRegistrationOutcome, isAllowedDomain } from '../accounts/policy.ts'
import {
  type AccountServiceDeps,
  createLinkSender,
  findAccountByEmail,
  getAccount,
  grantAdminRole,
  hasPassword,
  hasProvenEmail,
  insertAccount,
  lockAccount,
  markEmailProven,
  type UserRow,
} from '../accounts/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { checkPasswordAndSecondFactor } from '../second-factor/proofs.ts'
import { createTeamUnlessTaken, joinTeamOfProvider } from '../teams/service.ts'
import { attemptLifetimeMs, openSignInAttempt, type SignInAttempt, sealSignInAttempt } from './attempt.ts'
import { LinkOffered, openPendingLink, sealPendingLink } from './pending-link.ts'
import type { ProviderClient } from './provider-client.ts'
import { createSignInRepository, type ProviderRow } from './repository.ts'

export type SignInServiceDeps = AccountServiceDeps & Pick<PeopleDeps, 'mailer'> & Readonly<{ providers: ProviderClient }>

/** Services that are needed to link a provider to an existing account. */
type LinkDeps = Pick<PeopleDeps, 'blobs' | 'clock' | 'config' | 'db' | 'images' | 'mailer'>

type CallerCheck = (transaction: Executor) => Promise<void>

/** Context of a call: the client address, and the origin and language for links in mails. */
export type SignInContext = MailContext & Readonly<{ address: string }>

/** Maximum number of names to try until one is free. */
const maxNames = 50

/** Returns the callback address of a provider. @throws Problem `sign-in.no-origin` */
export function callbackUrlOfProvider(origin: string | undefined, key: string): string {
  if (origin === undefined) throw new Problem('sign-in.no-origin')
  return new URL(signInReturnPath(key), origin).href
}

/**
 * Returns the address at which the provider ends the user's session after a logout from the platform. No part of this address
 * comes from the request.
 * @returns undefined if the admins have not enabled logouts at the provider, or the provider does not offer them
 * @throws Problem `sign-in.unreachable`
 */
export async function findLogoutUrl(
  { db, config, providers }: Pick<SignInServiceDeps, 'config' | 'db' | 'providers'>,
  providerId: string | undefined,
): Promise<string | undefined> {
  const provider = providerId === undefined ? undefined : await createSignInRepository(db).find(providerId)
  if (!provider?.endsSession || config.publicOrigin === undefined) return undefined
  return providers.logoutUrl(provider, new URL(signedOutPath, config.publicOrigin).href)
}

/**
 * Finds a provider that the caller may use. Only admins can use a provider that is not enabled yet, for a preview of the claims.
 */
async function findProvider({ db }: Pick<SignInServiceDeps, 'db'>, key: string, purpose: SignInPurpose): Promise<ProviderRow> {
  const provider = await createSignInRepository(db).findByKey(key)
  if (!provider || !(provider.isEnabled || purpose === 'Preview')) throw new Problem('sign-in.unknown')
  return provider
}

/** @throws Problem `session.required`, `session.banned`, `role.insufficient` */
function checkPurpose(purpose: SignInPurpose, user: SessionUser | undefined): void {
  if (purpose === 'LogIn') return
  if (!user) throw new Problem('session.required')
  if (user.role === 'Banned') throw new Problem('session.banned')
  if (purpose === 'Preview' && user.role !== 'Admin') throw new Problem('role.insufficient')
}

/**
 * Starts a sign-in.
 * @returns the address of the provider, and the sealed attempt for the cookie
 * @throws Problem `sign-in.unknown`, `sign-in.no-origin`, `sign-in.unreachable`, and the problems of `checkPurpose` and
 * `checkPasswordAndSecondFactor`
 */
export async function startSignIn(
  deps: SignInServiceDeps,
  key: string,
  { purpose, proof }: SignInStart,
  user: SessionUser | undefined,
): Promise<{ url: string; cookie: string }> {
  const { config, clock, providers } = deps
  checkPurpose(purpose, user)
  const provider = await findProvider(deps, key, purpose)
  const redirectUri = callbackUrlOfProvider(config.publicOrigin, key)
  // A linked provider allows logins without password and second factor, so a session alone must not suffice to link a provider.
  if (purpose === 'Link' && user) await checkPasswordAndSecondFactor(deps, user, proof)
  const attempt: SignInAttempt = {
    providerId: provider.id,
    purpose,
    state: createSessionToken(),
    nonce: createSessionToken(),
    codeVerifier: createSessionToken(),
    ...(purpose !== 'LogIn' && user && { userId: user.id }),
    expiresAt: clock.now().getTime() + attemptLifetimeMs,
  }
  const url = await providers.authorizationUrl(provider, redirectUri, attempt)
  return { url, cookie: sealSignInAttempt(attempt, config.secretKey) }
}

/** Result of a sign-in. If `sessionOf` is set, the caller opens a session for this user. */
export type SignInResult = Readonly<{
  answer: SignInFinished
  provider: ProviderRow
  user?: UserRow
  sessionOf?: Readonly<{ user: UserRow; proof: LoginProof }>
}>

/**
 * Finishes a sign-in with the query string of the callback.
 * @param cookie sealed attempt of this browser
 * @throws Problem `sign-in.expired`, `sign-in.unknown`, `sign-in.failed`, `sign-in.unreachable`, and the problems of
 * `checkPurpose`, `linkAndPlace` and `logInWith`
 */
export async function finishSignIn(
  deps: SignInServiceDeps,
  { key, answer, cookie }: { key: string; answer: string; cookie: string | undefined },
  user: SessionUser | undefined,
  context: SignInContext,
): Promise<SignInResult> {
  const { config, clock, providers } = deps
  const attempt = openSignInAttempt(cookie, config.secretKey, clock.now())
  if (!attempt) throw new Problem('sign-in.expired')
  checkPurpose(attempt.purpose, user)
  // Another user may have logged in since the attempt started.
  if (attempt.userId !== undefined && attempt.userId !== user?.id) throw new Problem('sign-in.expired')
  const provider = await findProvider(deps, key, attempt.purpose)
  // Each provider has a separate callback address, which refuses answers of other providers (RFC 9700, section 4.4.2).
  if (provider.id !== attempt.providerId) throw new Problem('sign-in.expired')
  const redirectUri = callbackUrlOfProvider(config.publicOrigin, key)
  const { profile, claims } = await providers.readUser(provider, redirectUri, answer, attempt)
  switch (attempt.purpose) {
    case 'Preview':
      return { provider, answer: { outcome: 'Previewed', preview: { profile, claims: JSON.stringify(claims, null, 2) } } }
    case 'Link':
      if (!user) throw new Problem('session.required')
      await linkAndPlace(deps, provider, profile, { userId: user.id, language: context.language }, (transaction) =>
        requireSession(transaction, user),
      )
      return { provider, answer: { outcome: 'Linked', preview: null } }
    case 'LogIn':
      return { provider, ...(await logInWith(deps, provider, profile, context)) }
  }
}

function verifiedEmailOf({ email, isEmailVerified }: SignInProfile): string | null {
  return isEmailVerified ? email : null
}

function labelOf({ email, userName }: SignInProfile): string {
  return email ?? userName
}

/** Links the account at a provider to a user. @throws Problem `sign-in.linked-elsewhere`, `sign-in.already-linked` */
async function linkProvider(
  db: Executor,
  provider: ProviderRow,
  profile: SignInProfile,
  userId: string,
  linkedAt: Date,
): Promise<void> {
  const repository = createSignInRepository(db)
  const row = { providerId: provider.id, subject: profile.subject, userId, label: labelOf(profile), linkedAt }
  if (await repository.link(row)) return
  const owner = await repository.findUser(provider.id, profile.subject)
  if (owner?.id === userId) return
  throw new Problem(owner ? 'sign-in.linked-elsewhere' : 'sign-in.already-linked')
}

/**
 * Links a provider to an existing account, adds the user to the team of the provider, and queues a mail that warns the owner. The
 * link also proves the address of the account, if the provider has verified it.
 * @param checkCaller throws if the login or session of the caller is no longer valid
 * @throws the problems of `checkCaller`, `linkProvider` and `placeUser`
 */
async function linkAndPlace(
  deps: LinkDeps,
  provider: ProviderRow,
  profile: SignInProfile,
  { userId, language }: { userId: string; language: LanguageCode },
  checkCaller: CallerCheck,
): Promise<void> {
  await deps.db.transaction(async (transaction) => {
    const { email: recipient } = await lockAccount(transaction, userId)
    await checkCaller(transaction)
    await linkProvider(transaction, provider, profile, userId, deps.clock.now())
    const verified = verifiedEmailOf(profile)
    if (verified !== null) await markEmailProven({ db: transaction }, userId, verified, false)
    await placeUser(transaction, provider, profile)
    const { title: platformName } = (await readSettings(deps, transaction)).globalConfig
    await queueMail(deps, transaction, renderMailWithoutPlaceholders('provider-linked', { recipient, language, platformName }))
  })
}

/**
 * Offers to link the provider to the account that has the email address in the profile. The provider must have verified the
 * address, and the user must then log in to the account. This also works while registration is closed, because it creates no
 * account.
 * @throws Problem `sign-in.link-offered`
 */
async function offerLink(
  { db, config, clock }: Pick<SignInServiceDeps, 'db' | 'config' | 'clock'>,
  { id, kind, issuer, name }: ProviderRow,
  profile: SignInProfile,
): Promise<void> {
  const email = verifiedEmailOf(profile)
  const owner = email === null ? undefined : await findAccountByEmail({ db }, email)
  if (!owner?.emailConfirmed) return
  if ((await createSignInRepository(db).listIdentities(owner.id)).some(({ identity }) => identity.providerId === id)) return
  const link = { provider: { id, kind, issuer }, profile, userId: owner.id }
  throw new LinkOffered(sealPendingLink(link, config.secretKey, clock.now()), { provider: name, label: labelOf(profile) })
}

/**
 * Finds the pending link of a browser.
 * @param cookie sealed link
 * @returns undefined if the link is for another user, or if its provider was disabled or got another issuer
 */
export async function findPendingLink(
  { db, config, clock }: Pick<SignInServiceDeps, 'db' | 'config' | 'clock'>,
  cookie: string | undefined,
  userId: string,
): Promise<Readonly<{ provider: ProviderRow; profile: SignInProfile }> | undefined> {
  const link = openPendingLink(cookie, config.secretKey, clock.now())
  if (link?.userId !== userId) return undefined
  const provider = await createSignInRepository(db).find(link.provider.id)
  if (!provider?.isEnabled || provider.kind !== link.provider.kind || provider.issuer !== link.provider.issuer) return undefined
  return { provider, profile: link.profile }
}

/**
 * Connects the account to the provider that the cookie names. Call this function after the login.
 * @returns the name of the provider, or undefined if no link is pending
 * @throws the problems of `linkAndPlace`
 */
export async function finishPendingLink(
  deps: LinkDeps,
  cookie: string | undefined,
  to: { userId: string; language: LanguageCode },
  checkLogin: CallerCheck,
): Promise<string | undefined> {
  const found = await findPendingLink(deps, cookie, to.userId)
  if (!found) return undefined
  await linkAndPlace(deps, found.provider, found.profile, to, checkLogin)
  return found.provider.name
}

/**
 * Logs in with the account that is linked to the provider. If no account is linked, creates an account.
 * @throws Problem `login.banned`, `email.not-sent`, `request.rate-limited`, and the problems of `offerLink`, `createAccount` and
 * `requireProof`
 */
async function logInWith(
  deps: SignInServiceDeps,
  provider: ProviderRow,
  profile: SignInProfile,
  context: SignInContext,
): Promise<Omit<SignInResult, 'provider'>> {
  const { db } = deps
  const known = await createSignInRepository(db).findUser(provider.id, profile.subject)
  if (known?.role === 'Banned') throw new Problem('login.banned')
  if (!known) await offerLink(deps, provider, profile)
  const { emailConfirmationRequired } = (await readSettings(deps)).accountPolicy
  const isNewlyProven = known && !hasProvenEmail(known) && hasProvenEmail({ ...known, provenEmail: verifiedEmailOf(profile) })
  const linked = isNewlyProven ? await markEmailProven(deps, known.id, known.email, emailConfirmationRequired) : known
  const user = linked ?? (await createAccount(deps, provider, profile, context))
  if (!user.emailConfirmed) {
    if (!emailConfirmationRequired) return { user, answer: { outcome: 'AdminConfirmationRequired', preview: null } }
    await db.transaction((transaction) =>
      createLinkSender(deps)(transaction, context, { user, purpose: 'activation', email: user.email }),
    )
    return { user, answer: { outcome: 'EmailConfirmationRequired', preview: null } }
  }
  const proof = { providerId: provider.id, subject: profile.subject }
  // The provider can grant the admin role but not revoke it, because a local admin may be an ordinary user at the provider.
  if (profile.isAdmin && user.role !== 'Admin')
    await db.transaction(async (transaction) => {
      await lockAccount(transaction, user.id)
      await requireProof(transaction, user.id, proof)
      await grantAdminRole({ db: transaction }, user.id)
    })
  await db.transaction((transaction) => placeUser(transaction, provider, profile))
  return { user, sessionOf: { user, proof }, answer: { outcome: 'LoggedIn', preview: null } }
}

/**
 * Stores the division of a user, and adds the user to the team that the provider sent. The team is found only by its key, and is
 * created if no team has this key yet. Call this function in a transaction. A sign-in never removes a user from a team.
 * @throws Problem `team.name-taken`
 */
async function placeUser(
  transaction: Executor,
  provider: ProviderRow,
  { subject, team, division }: SignInProfile,
): Promise<void> {
  const repository = createSignInRepository(transaction)
  const identity = await repository.lockIdentity(provider.id, subject)
  if (!identity) return
  if (identity.division !== division) await repository.updateIdentity(identity, { division })
  if (!team || (identity.teamKey !== null && !provider.teamsEachTime)) return
  await repository.lockProvider(provider.id)
  const teamId = await repository.findTeam(provider.id, team.key)
  if (teamId === undefined) {
    const names = namesLike(team.name, Limits.maxTeamNameLength)
    const created = await createTeamUnlessTaken(transaction, names, identity.userId)
    await repository.insertTeam({ providerId: provider.id, key: team.key, teamId: created })
  } else await joinTeamOfProvider(transaction, teamId, identity.userId)
  if (identity.teamKey !== team.key) await repository.updateIdentity(identity, { teamKey: team.key })
}

/**
 * Creates an account for a user of a provider, by the rules of a registration. An address that the provider has verified needs no
 * confirmation.
 * @throws Problem `register.closed`, `sign-in.no-address`, `email.domain`, `sign-in.address-taken`
 */
async function createAccount(
  deps: SignInServiceDeps,
  provider: ProviderRow,
  profile: SignInProfile,
  context: SignInContext,
): Promise<UserRow> {
  const { db, clock } = deps
  const { accountPolicy } = await readSettings(deps)
  const { email } = profile
  if (!accountPolicy.allowRegister) throw new Problem('register.closed')
  if (email === null) throw new Problem('sign-in.no-address')
  if (!isAllowedDomain(email, accountPolicy.emailDomainList)) throw new Problem('email.domain')
  const outcome = getRegistrationOutcome(accountPolicy)
  const isActive = outcome === 'LoggedIn' || (outcome === 'EmailConfirmationRequired' && profile.isEmailVerified)
  return db.transaction(async (transaction) => {
    const now = clock.now()
    const user = await insertAccount(transaction, {
      userNames: namesLike(profile.userName),
      email,
      emailConfirmed: isActive,
      provenEmail: verifiedEmailOf(profile),
      realName: profile.realName,
      stdNumber: profile.stdNumber,
      registeredAt: now,
      lastVisitedAt: now,
      lastAddress: context.address,
    }).catch((error) => {
      // The owner of the account can link the provider after a login with the password.
      throw error instanceof Problem && error.code === 'email.taken' ? new Problem('sign-in.address-taken') : error
    })
    await linkProvider(transaction, provider, profile, user.id, now)
    return user
  })
}

/**
 * Returns names to try: first the wanted name, then this name with different numbers appended, each cut to the maximum length.
 */
function namesLike(wanted: string, maxLength: number = Limits.maxUserNameLength): readonly string[] {
  const letters = [...wanted]
  return Array.from({ length: maxNames }, (_, index) => {
    const suffix = index === 0 ? '' : String(index < 10 ? index + 1 : 1_000 + cryptoRandom.int(9_000))
    return letters.slice(0, maxLength - suffix.length).join('') + suffix
  })
}

export async function listIdentities({ db }: Pick<SignInServiceDeps, 'db'>, userId: string): Promise<OwnIdentities> {
  const [user, identities] = await Promise.all([getAccount({ db }, userId), createSignInRepository(db).listIdentities(userId)])
  return {
    hasPassword: hasPassword(user),
    identities: identities.map(({ key, name, identity }) => ({
      key,
      name,
      label: identity.label,
      linkedAt: identity.linkedAt.getTime(),
    })),
  }
}

/**
 * Unlinks a provider, and ends the user's other sessions that began with it.
 * @returns the name of the provider
 * @throws Problem `sign-in.unknown`, `sign-in.last-method`
 */
export async function unlinkProvider(
  { db, sessions }: Pick<SignInServiceDeps, 'db' | 'sessions'>,
  caller: SessionUser,
  key: string,
): Promise<string> {
  const userId = caller.id
  const name = await db.transaction(async (transaction) => {
    const repository = createSignInRepository(transaction)
    const user = await lockAccount(transaction, userId)
    const identities = await repository.listIdentities(userId)
    const found = identities.find((identity) => identity.key === key)
    if (!found) throw new Problem('sign-in.unknown')
    if (!hasPassword(user) && identities.length === 1) throw new Problem('sign-in.last-method')
    await repository.unlink(userId, found.identity.providerId)
    await sessions.endAllOfProvider(transaction, found.identity.providerId, { userId, except: caller })
    return found.name
  })
  sessions.announceEnd(userId)
  return name
}
