// Passkeys as a second factor (ADR 72). Rules: docs/contract/sessions-and-accounts.md#second-factor.
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type {
  FactorProof,
  LoginFactors,
  NewPasskey,
  Passkey,
  PasskeyLogin,
  PasskeySetup,
  RecoveryCodes,
} from '@capstan/contract/second-factor'
import { requireSession } from '../../server/sessions/proof.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { readSettings } from '../../server/settings/service.ts'
import { hasPassword, lockAccount, type UserRow } from '../accounts/service.ts'
import {
  createPasskeyChallenge,
  openPasskeyChallenge,
  redeemPasskeyAnswer,
  requireRelyingParty,
  sealPasskeyChallenge,
} from './challenges.ts'
import type { FactorSetupDeps, SecondFactorDeps } from './deps.ts'
import { checkPassword, checkSecondFactor, findPendingLogin, type PasswordLogin, storeRecoveryCodes } from './proofs.ts'
import { createSecondFactorRepository, type PasskeyRow } from './repository.ts'
import { createPasskeySetupOptions, verifyPasskeySetup } from './webauthn.ts'

/**
 * Returns the context in which the setup of a passkey is sealed: purpose, user and session. Another session cannot finish the
 * setup.
 */
function setupContext({ id, session }: SessionUser): string {
  return `passkey setup ${id} ${session?.tokenHash ?? ''}`
}

function loginContext({ id }: UserRow): string {
  return `passkey login ${id}`
}

export function presentPasskey({ id, name, createdAt, lastUsedAt }: PasskeyRow): Passkey {
  return { id, name, createdAt: createdAt.getTime(), lastUsedAt: lastUsedAt?.getTime() ?? null }
}

/**
 * Begins to add a passkey.
 * @throws Problem `passkey.no-origin`, `passkey.too-many`, and the problems of `checkPassword` and `checkSecondFactor`
 */
export async function startPasskeySetup(deps: SecondFactorDeps, user: SessionUser, proof: FactorProof): Promise<PasskeySetup> {
  const party = requireRelyingParty(deps.config)
  const { userName } = await checkPassword(deps, user.id, proof.password)
  const known = await createSecondFactorRepository(deps.db).listPasskeys(user.id)
  if (known.length >= Limits.passkeysPerUser) throw new Problem('passkey.too-many')
  await checkSecondFactor(deps, user, proof)
  const { title } = (await readSettings(deps)).globalConfig
  const options = await createPasskeySetupOptions(party, { title, userId: user.id, userName, known })
  return {
    options: JSON.stringify(options),
    setup: sealPasskeyChallenge(deps, options.challenge, Limits.signInMinutes, setupContext(user)),
  }
}

/**
 * Adds a passkey. If the account had no second factor before, ends all other sessions.
 * @returns recovery codes, or none if the account already had a second factor
 * @throws Problem `second-factor.expired`, `passkey.refused`, `passkey.exists`, `passkey.too-many`, `second-factor.no-password`
 */
export async function addPasskey(deps: FactorSetupDeps, user: SessionUser, added: NewPasskey): Promise<RecoveryCodes> {
  const party = requireRelyingParty(deps.config)
  const { challenge } = openPasskeyChallenge(deps, added.setup, setupContext(user))
  const credential = await verifyPasskeySetup(party, added.answer, challenge)
  return deps.db.transaction(async (transaction) => {
    if (!hasPassword(await lockAccount(transaction, user.id))) throw new Problem('second-factor.no-password')
    await requireSession(transaction, user)
    const repository = createSecondFactorRepository(transaction)
    const isFirst = !(await repository.hasFactor(user.id))
    if ((await repository.listPasskeys(user.id)).length >= Limits.passkeysPerUser) throw new Problem('passkey.too-many')
    const row = { ...credential, userId: user.id, name: added.name, createdAt: deps.clock.now() }
    if (!(await repository.insertPasskey(row))) throw new Problem('passkey.exists')
    if (!isFirst) return { codes: [] }
    await deps.sessions.endAll(transaction, user.id, { except: user })
    return storeRecoveryCodes(transaction, user.id)
  })
}

/** @throws Problem `passkey.unknown`, and the problems of `checkPassword` and `checkSecondFactor` */
export async function removePasskey(deps: SecondFactorDeps, user: SessionUser, id: string, proof: FactorProof): Promise<void> {
  const userId = user.id
  await checkPassword(deps, userId, proof.password)
  const known = await createSecondFactorRepository(deps.db).listPasskeys(userId)
  if (!known.some((passkey) => passkey.id === id)) throw new Problem('passkey.unknown')
  await checkSecondFactor(deps, user, proof)
  await deps.db.transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const repository = createSecondFactorRepository(transaction)
    if (!(await repository.deletePasskey(userId, id))) throw new Problem('passkey.unknown')
    await repository.deleteUnneededCodes(userId)
  })
}

/**
 * Returns a WebAuthn challenge for the passkeys of the user whose login is pending.
 * @throws the problems of `findPendingLogin`
 */
export async function readLoginFactors(deps: SecondFactorDeps, cookie: string | undefined): Promise<LoginFactors> {
  const { user } = await findPendingLogin(deps, cookie)
  return createPasskeyChallenge(deps, user.id, { minutes: Limits.pendingLoginMinutes, context: loginContext(user) })
}

/**
 * Finishes a login with a passkey.
 * @returns the account, for which the caller opens a session
 * @throws Problem `second-factor.expired`, `passkey.refused`, and the problems of `findPendingLogin`
 */
export async function finishPasskeyLogin(
  deps: SecondFactorDeps,
  cookie: string | undefined,
  answer: PasskeyLogin,
): Promise<PasswordLogin> {
  const login = await findPendingLogin(deps, cookie)
  await redeemPasskeyAnswer(deps, login.user.id, answer, loginContext(login.user))
  return login
}
