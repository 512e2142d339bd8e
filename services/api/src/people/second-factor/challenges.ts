// WebAuthn challenges for passkeys. The client stores each challenge in sealed form, so the server stores nothing until it checks
// the answer.
import { Problem } from '@capstan/contract/problems'
import type { LoginFactors, PasskeyLogin } from '@capstan/contract/second-factor'
import { type Expiring, openSealedValue, sealValue } from '../../rules/signing/sealed-value.ts'
import type { SecondFactorDeps } from './deps.ts'
import { createSecondFactorRepository } from './repository.ts'
import { createPasskeyLoginOptions, type RelyingParty, relyingPartyOf, verifyPasskeyLogin } from './webauthn.ts'

/** WebAuthn challenge for an authenticator. The server seals it, and the client stores it. */
type Challenge = Expiring & Readonly<{ challenge: string /** Creation time, in ms since 1970. */; issuedAt: number }>

/** @throws Problem `passkey.no-origin` */
export function requireRelyingParty({ publicOrigin }: SecondFactorDeps['config']): RelyingParty {
  const party = relyingPartyOf(publicOrigin)
  if (!party) throw new Problem('passkey.no-origin')
  return party
}

export function sealPasskeyChallenge(
  { config, clock }: SecondFactorDeps,
  challenge: string,
  minutes: number,
  context: string,
): string {
  const issuedAt = clock.now().getTime()
  const value: Challenge = { challenge, issuedAt, expiresAt: issuedAt + minutes * 60_000 }
  return sealValue(value, context, config.secretKey)
}

/**
 * Opens a sealed WebAuthn challenge.
 * @throws Problem `second-factor.expired` if the challenge has expired or belongs to another session or login
 */
export function openPasskeyChallenge({ config, clock }: SecondFactorDeps, sealed: string, context: string): Challenge {
  const challenge = openSealedValue<Challenge>(sealed, context, config.secretKey, clock.now())
  if (!challenge) throw new Problem('second-factor.expired')
  return challenge
}

/**
 * Returns a WebAuthn challenge for the passkeys of a user. `passkey` is null if the user has no passkey, or if browsers offer none
 * at the public origin.
 */
export async function createPasskeyChallenge(
  deps: SecondFactorDeps,
  userId: string,
  { minutes, context }: Readonly<{ minutes: number; context: string }>,
): Promise<LoginFactors> {
  const known = await createSecondFactorRepository(deps.db).listPasskeys(userId)
  const party = relyingPartyOf(deps.config.publicOrigin)
  if (known.length === 0 || !party) return { passkey: null }
  const options = await createPasskeyLoginOptions(party, known)
  return {
    passkey: { options: JSON.stringify(options), challenge: sealPasskeyChallenge(deps, options.challenge, minutes, context) },
  }
}

/**
 * Checks the answer of a passkey to a WebAuthn challenge. The challenge must be newer than the last use of the passkey, so each
 * answer is valid only once.
 * @throws Problem `second-factor.expired`, `passkey.refused`
 */
export async function redeemPasskeyAnswer(
  deps: SecondFactorDeps,
  userId: string,
  { challenge: sealed, answer }: PasskeyLogin,
  context: string,
): Promise<void> {
  const { challenge, issuedAt } = openPasskeyChallenge(deps, sealed, context)
  const repository = createSecondFactorRepository(deps.db)
  const known = await repository.listPasskeys(userId)
  const { id, signCount } = await verifyPasskeyLogin(requireRelyingParty(deps.config), { answer, challenge, known })
  const use = { challengedAt: new Date(issuedAt), usedAt: deps.clock.now(), signCount }
  if (!(await repository.takeChallenge(id, use))) throw new Problem('passkey.refused')
}
