// Assigns the flag and file of a challenge to a team. An assigned flag or file never changes. Rules:
// docs/contract/challenges.md#flags-and-files.
import type { ChallengeType } from '@capstan/contract/challenges'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import { retryUntilOutcomeKnown } from '@capstan/db/retry-until-known'
import { generateFlag } from '../../rules/flags/template.ts'
import { openGameKey, type StoredGameKeys } from '../../rules/signing/game-keys.ts'
import { deriveGameSalt } from '../../rules/signing/game-salt.ts'
import { cryptoRandom } from '../../rules/signing/random.ts'
import type { InstanceDeps } from '../deps.ts'
import { type AssignmentRow, createAssignmentRepository } from './repository.ts'

export { type AssignmentKey, type AssignmentRow, keyOfAssignment } from './repository.ts'

/** Owner of a flag: a team and its challenge. */
export type FlagOwner = Readonly<{
  game: StoredGameKeys
  challenge: Readonly<{
    id: number
    type: ChallengeType
    title: string
    flagTemplate: string | null
  }>
  participation: Readonly<{ id: number; token: string }>
}>

/**
 * Assigns a free flag to a team in a separate transaction. Row locks prevent two teams from getting the same flag.
 * @returns `again` if another team received the flag just before it was locked; the caller then tries again
 */
function takeFreeFlag(
  { db }: Pick<InstanceDeps, 'db'>,
  participationId: number,
  challengeId: number,
): Promise<'done' | 'none' | 'again'> {
  return db.transaction(async (transaction) => {
    const repository = createAssignmentRepository(transaction)
    const assignment = await repository.lock(participationId, challengeId)
    if (assignment.flagId !== null) return 'done'
    const free = await repository.lockFreeFlag(challengeId)
    if (!free) return 'none'
    return (await repository.giveFlag(assignment.id, free)) ? 'done' : 'again'
  })
}

async function giveAttachment(deps: Pick<InstanceDeps, 'db'>, { challenge, participation }: FlagOwner): Promise<void> {
  const { db } = deps
  await createAssignmentRepository(db).ensure(participation.id, challenge.id)
  for (;;) {
    const result = await takeFreeFlag(deps, participation.id, challenge.id)
    if (result === 'done') return
    if (result === 'none') throw new Problem('challenge.attachments-exhausted')
  }
}

/**
 * Returns the generated flag of a team. If the team has no flag yet, creates it. Only challenges of the type DynamicContainer
 * have generated flags.
 * @param executor database or transaction
 */
export function assignGeneratedFlag(
  { config }: Pick<InstanceDeps, 'config'>,
  executor: Executor,
  { game, challenge, participation }: FlagOwner,
): Promise<string> {
  const salt = deriveGameSalt(openGameKey(game, config.secretKey))
  const context = { gameSalt: salt, challengeId: challenge.id, teamToken: participation.token }
  const flag = generateFlag(challenge.flagTemplate, context, cryptoRandom)
  return createAssignmentRepository(executor).fixFlag(participation.id, challenge.id, flag)
}

/**
 * Creates the assignment of a challenge to a team, and the flag if the challenge has a dynamic type.
 * @param assignment stored assignment that the caller has read, or undefined if there is none
 * @returns true if anything was created
 * @throws Problem `challenge.attachments-exhausted`
 */
export async function ensureAssignment(
  deps: Pick<InstanceDeps, 'db' | 'config'>,
  owner: FlagOwner,
  assignment: Pick<AssignmentRow, 'flag' | 'flagId'> | undefined,
): Promise<boolean> {
  const { db } = deps
  const { challenge, participation } = owner
  switch (challenge.type) {
    case 'DynamicContainer':
      if (assignment?.flag != null) return false
      await retryUntilOutcomeKnown(() => assignGeneratedFlag(deps, db, owner))
      return true
    case 'DynamicAttachment':
      if (assignment?.flagId != null) return false
      await retryUntilOutcomeKnown(() => giveAttachment(deps, owner))
      return true
    default:
      if (assignment) return false
      await retryUntilOutcomeKnown(() => createAssignmentRepository(db).ensure(participation.id, challenge.id))
      return true
  }
}
