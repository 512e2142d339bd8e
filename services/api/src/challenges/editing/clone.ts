// Copies the parts of games and challenges that organizers edit, but no data of teams. Each copy is made in one
// transaction. Rules: docs/contract/games-and-joining.md#editing-games, docs/contract/challenges.md#editing.
import type { ChallengeEdit } from '@capstan/contract/challenges'
import type { GameClone } from '@capstan/contract/games'
import { InputLimits } from '@capstan/contract/limits'
import type { Executor } from '@capstan/db/client'
import { copyCertificate } from '../../games/certificates/service.ts'
import { copyDivisionOverrides } from '../../games/editing/division-service.ts'
import { copyGame, type GameWithDivisions, getGame, lockGameAgainstEdits } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { addMissingFileReferences } from '../../server/files/service.ts'
import { createChallengeRepository } from './repository.ts'
import { type ChallengeRows, type StoredChallenge, storedChallengeOf } from './rows.ts'
import { getChallenge } from './service.ts'
import { getStoredChallengeRows, insertChallenge, listStoredChallengeRows, lockChallenge, storeUnlockRules } from './store.ts'

/**
 * Inserts a copy of a challenge, including the values of secret variables. The copy refers to the same stored files.
 * @returns the id of the copy
 */
async function insertCopy(executor: Executor, gameId: number, source: ChallengeRows, parts: Partial<StoredChallenge>) {
  const stored = storedChallengeOf(source)
  const { containerSecrets, furtherContainerSecrets } = source.challenge
  const secrets = { containerSecrets, furtherContainerSecrets }
  const flags = stored.flags.map(({ id: _, ...flag }) => flag)
  const hints = stored.hints.map(({ id: _, ...hint }) => hint)
  const { id } = await insertChallenge(executor, gameId, { ...stored, flags, hints, ...parts }, secrets)
  return id
}

function hashesOf({ attachment, flags }: ChallengeRows): string[] {
  return [attachment, ...flags.map((flag) => flag.attachment)].flatMap((file) => file?.fileHash ?? [])
}

/**
 * Creates a hidden copy of a game with the same duration and writeup period. Notices are not copied, because they
 * report events of the original game.
 * @throws Problem `game.unknown`, `game.times`
 */
export function cloneGame(deps: Pick<InstanceDeps, 'config' | 'db'>, id: number, clone: GameClone): Promise<GameWithDivisions> {
  const { db } = deps
  return db.transaction(async (transaction) => {
    const made = await copyGame(deps, transaction, id, clone)
    const hashes = made.game.posterHash === null ? [] : [made.game.posterHash]
    const shiftMs = made.game.startsAt.getTime() - (await getGame(deps, id, transaction)).startsAt.getTime()
    const shifted = (instant: Date | null) =>
      instant && Math.min(Math.max(1, instant.getTime() + shiftMs), InputLimits.maxInstantMs)
    const challengeIds = new Map<number, number>()
    const sources = await listStoredChallengeRows(transaction, await createChallengeRepository(transaction).list(id))
    for (const source of sources) {
      const { releaseAt, deadlineAt } = source.challenge
      const changes = { release: shifted(releaseAt), deadline: shifted(deadlineAt), unlock: null }
      challengeIds.set(source.challenge.id, await insertCopy(transaction, made.game.id, source, changes))
      hashes.push(...hashesOf(source))
    }
    const rules = sources.map(({ challenge: { id: original, unlockRule } }) => ({
      id: challengeIds.get(original) ?? 0,
      rule: unlockRule && { ...unlockRule, after: unlockRule.after.flatMap((each) => challengeIds.get(each) ?? []) },
    }))
    await storeUnlockRules(transaction, made.game.id, rules)
    await copyDivisionOverrides(transaction, id, made.game.id, challengeIds)
    hashes.push(...(await copyCertificate(transaction, id, made.game.id)))
    await addMissingFileReferences(transaction, hashes)
    return made
  })
}

/** Creates a disabled copy of a challenge in the same game. @throws Problem `challenge.unknown` */
export async function cloneChallenge(
  deps: Pick<InstanceDeps, 'config' | 'db' | 'runtime'>,
  gameId: number,
  id: number,
  title: string,
): Promise<ChallengeEdit> {
  const { db } = deps
  const copied = await db.transaction(async (transaction) => {
    await lockGameAgainstEdits(transaction, gameId)
    const source = await getStoredChallengeRows(transaction, await lockChallenge(transaction, gameId, id))
    const copy = await insertCopy(transaction, gameId, source, { title: title.trim(), enabled: false })
    await addMissingFileReferences(transaction, hashesOf(source))
    return copy
  })
  return getChallenge(deps, gameId, copied)
}
