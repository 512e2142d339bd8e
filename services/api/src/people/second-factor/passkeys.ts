// Passkeys as a second factor (ADR 72). Rules: docs/contract/sessions-and-accounts.md#second-factor.
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type {
  LoginFactors,
  NewPasskey,
  Passkey,
  PasskeyLogin,
  PasskeySetup,
  RecoveryCodes,
} from '@capstan/contract/second-factor'
import { type Expiring, openValue, sealValue } from '../../rules/signing/sealed-value.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { readSettings } from '../../server/settings/service.ts'
import { hasPassword, lockAccount, type UserRow } from '../accounts/service.ts'
import { checkPassword, openLogin, type SecondFactorDeps, storeRecoveryCodes } from './proofs.ts'
import { type PasskeyRow, secondFactorRepository } from './repository.ts'
import { createRequest, createSetup, type RelyingParty, relyingPartyOf, verifyLogin, verifySetup } from './webauthn.ts'

/** Challenge for an authenticator. */
type Challenge = Expiring & Readonly<{ challenge: string /** Time of the challenge, in ms since 1970. */; issuedAt: number }>

/** @throws Problem `passkey.no-origin` */
function requireParty({ publicOrigin }: SecondFactorDeps['config']): RelyingParty {
  const party = relyingPartyOf(publicOrigin)
  if (!party) throw new Problem('passkey.no-origin')
  return party
}

/** Context of a sealed setup. It is bound to the session, so no other session can finish it. */
function setupContext({ id, session }: SessionUser): string {
  return `passkey setup ${id} ${session?.tokenHash ?? ''}`
}

function loginContext({ id }: UserRow): string {
  return `passkey login ${id}`
}

function sealChallenge({ config, clock }: SecondFactorDeps, challenge: string, minutes: number, context: string): string {
  const issuedAt = clock.now().getTime()
  const value: Challenge = { challenge, issuedAt, expiresAt: issuedAt + minutes * 60_000 }
  return sealValue(value, context, config.secretKey)
}

/** @throws Problem `second-factor.expired` if the challenge has expired or belongs to another session or login */
function openChallenge({ config, clock }: SecondFactorDeps, sealed: string, context: string): Challenge {
  const challenge = openValue<Challenge>(sealed, context, config.secretKey, clock.now())
  if (!challenge) throw new Problem('second-factor.expired')
  return challenge
}

export function presentPasskey({ id, name, createdAt, lastUsedAt }: PasskeyRow): Passkey {
  return { id, name, createdAt: createdAt.getTime(), lastUsedAt: lastUsedAt?.getTime() ?? null }
}

/** Begins to add a passkey. @throws Problem `passkey.no-origin`, `passkey.too-many`, and the problems of `checkPassword` */
export async function startPasskey(deps: SecondFactorDeps, user: SessionUser, password: string): Promise<PasskeySetup> {
  const party = requireParty(deps.config)
  const { userName } = await checkPassword(deps, user.id, password)
  const known = await secondFactorRepository(deps.db).listPasskeys(user.id)
  if (known.length >= Limits.passkeysPerUser) throw new Problem('passkey.too-many')
  const { title } = (await readSettings(deps)).globalConfig
  const options = await createSetup(party, { title, userId: user.id, userName, known })
  return {
    options: JSON.stringify(options),
    setup: sealChallenge(deps, options.challenge, Limits.signInMinutes, setupContext(user)),
  }
}

/**
 * Adds a passkey. @returns recovery codes if it is the first factor of the account, otherwise none
 * @throws Problem `second-factor.expired`, `passkey.refused`, `passkey.exists`, `passkey.too-many`, `second-factor.no-password`
 */
export async function addPasskey(deps: SecondFactorDeps, user: SessionUser, added: NewPasskey): Promise<RecoveryCodes> {
  const party = requireParty(deps.config)
  const { challenge } = openChallenge(deps, added.setup, setupContext(user))
  const credential = await verifySetup(party, added.answer, challenge)
  return deps.db.transaction(async (transaction) => {
    if (!hasPassword(await lockAccount(transaction, user.id))) throw new Problem('second-factor.no-password')
    const repository = secondFactorRepository(transaction)
    const isFirst = !(await repository.hasFactor(user.id))
    if ((await repository.listPasskeys(user.id)).length >= Limits.passkeysPerUser) throw new Problem('passkey.too-many')
    const row = { ...credential, userId: user.id, name: added.name, createdAt: deps.clock.now() }
    if (!(await repository.insertPasskey(row))) throw new Problem('passkey.exists')
    return isFirst ? storeRecoveryCodes(transaction, user.id) : { codes: [] }
  })
}

/** @throws Problem `passkey.unknown`, and the problems of `checkPassword` */
export async function removePasskey(deps: SecondFactorDeps, userId: string, id: string, password: string): Promise<void> {
  await checkPassword(deps, userId, password)
  await deps.db.transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const repository = secondFactorRepository(transaction)
    if (!(await repository.deletePasskey(userId, id))) throw new Problem('passkey.unknown')
    await repository.deleteUnneededCodes(userId)
  })
}

/** Returns a challenge for the passkeys of a pending login. @throws the problems of `openLogin` */
export async function readLoginFactors(deps: SecondFactorDeps, cookie: string | undefined): Promise<LoginFactors> {
  const user = await openLogin(deps, cookie)
  const known = await secondFactorRepository(deps.db).listPasskeys(user.id)
  const party = relyingPartyOf(deps.config.publicOrigin)
  if (known.length === 0 || !party) return { passkey: null }
  const options = await createRequest(party, known)
  const challenge = sealChallenge(deps, options.challenge, Limits.pendingLoginMinutes, loginContext(user))
  return { passkey: { options: JSON.stringify(options), challenge } }
}

/**
 * Finishes a log-in with a passkey. An answer is valid once, because a challenge must be newer than the last login.
 * @returns the account, for which the caller opens a session
 * @throws Problem `second-factor.expired`, `passkey.refused`, and the problems of `openLogin`
 */
export async function finishPasskeyLogin(
  deps: SecondFactorDeps,
  cookie: string | undefined,
  { challenge: sealed, answer }: PasskeyLogin,
): Promise<UserRow> {
  const user = await openLogin(deps, cookie)
  const { challenge, issuedAt } = openChallenge(deps, sealed, loginContext(user))
  const repository = secondFactorRepository(deps.db)
  const known = await repository.listPasskeys(user.id)
  const { id, signCount } = await verifyLogin(requireParty(deps.config), { answer, challenge, known })
  const use = { challengedAt: new Date(issuedAt), usedAt: deps.clock.now(), signCount }
  if (!(await repository.takeChallenge(id, use))) throw new Problem('passkey.refused')
  return user
}
