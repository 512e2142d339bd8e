// Proof of work as a captcha: the client searches for a nonce. Rules: docs/contract/sessions-and-accounts.md#proof-of-work.
import { createHash, randomBytes } from 'node:crypto'
import type { PowChallenge } from '@capstan/contract/accounts'
import { Problem } from '@capstan/contract/problems'
import { countLeadingZeroBits, powPartBytes } from '@capstan/contract/proof-of-work'
import type { ServerDeps } from '../deps.ts'
import { createCaptchaRepository } from './repository.ts'

type PowDeps = Pick<ServerDeps, 'db' | 'clock' | 'config'>

/** Maximum age of a proof-of-work puzzle when its solution arrives, in ms. */
const validMs = 5 * 60_000

const answerPattern = /^([0-9a-f]{12}):([0-9a-f]{16})$/i

function expiredAt({ clock }: Pick<PowDeps, 'clock'>): Date {
  return new Date(clock.now().getTime() - validMs)
}

/** @throws Problem `captcha.no-proof-of-work` if captchas are off or another captcha is configured */
export async function createPowChallenge(deps: PowDeps): Promise<PowChallenge> {
  const { clock, config, db } = deps
  const { provider, difficulty } = config.captcha
  if (provider !== 'HashPow') throw new Problem('captcha.no-proof-of-work')
  const created = {
    id: randomBytes(6).toString('hex'),
    challenge: randomBytes(powPartBytes).toString('hex'),
    difficulty,
  }
  const repository = createCaptchaRepository(db)
  await repository.deleteCreatedUntil(expiredAt(deps))
  await repository.insert({ ...created, createdAt: clock.now() })
  return created
}

/**
 * Checks the solution of a puzzle and deletes the puzzle, even if the nonce is wrong.
 * @param answer `{id}:{nonce}`, in hexadecimal digits
 */
export async function redeemProofOfWork(deps: Pick<PowDeps, 'db' | 'clock'>, answer: string): Promise<boolean> {
  const [, id, nonce] = answerPattern.exec(answer) ?? []
  if (!id || !nonce) return false
  const redeemed = await createCaptchaRepository(deps.db).take(id.toLowerCase(), expiredAt(deps))
  if (!redeemed) return false
  const hash = createHash('sha256')
    .update(Buffer.from(redeemed.challenge + nonce, 'hex'))
    .digest()
  return countLeadingZeroBits(hash) >= redeemed.difficulty
}
