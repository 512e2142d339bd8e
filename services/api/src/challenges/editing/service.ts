// Challenges for organizers. Rules: docs/contract/challenges.md#editing.
import { hasFlagList } from '@capstan/contract/challenge'
import type { ChallengeLabels, LabeledChallenge } from '@capstan/contract/challenge-labels'
import type { ChallengeBrief, ChallengeCreate, ChallengeEdit, ChallengeUpdate } from '@capstan/contract/challenges'
import type { ContainerDefinition, ContainerSettings } from '@capstan/contract/container-definition'
import type { GameNotice } from '@capstan/contract/games'
import { phaseOf } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import { type ChallengeReach, canBeGuarded } from '@capstan/contract/reach'
import { type ChallengeReadiness, countReady, type ReadyCounts } from '@capstan/contract/readiness'
import { tidyTags } from '@capstan/contract/tags'
import type { Executor } from '@capstan/db/client'
import { type GameRow, getGame, lockGame, timesOf } from '../../games/editing/service.ts'
import { announceNotices, insertGeneratedNotice } from '../../games/notices/service.ts'
import { recountSolves } from '../../games/solves/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { announceEndings, endInstances } from '../../instances/lifecycle/endings.ts'
import { presentChallengeReach } from '../../instances/lifecycle/presenter.ts'
import { presentContainerInfo, presentEntry } from '../../instances/lifecycle/service.ts'
import { releaseFiles, sweepFiles } from '../../server/files/service.ts'
import { deleteCaptureBlobs } from '../../server/files/stored-captures.ts'
import { readSettings } from '../../server/settings/service.ts'
import { containerAfter, noticesOfEdit, refuseUpdate } from './policy.ts'
import { presentChallengeBrief, presentContainer, presentLabeled, presentLabels, presentReadiness } from './presenter.ts'
import { presentChallengeEdit, valuesAfter } from './reference.ts'
import { type ChallengeRow, challengeRepository } from './repository.ts'

async function lock(executor: Executor, gameId: number, id: number): Promise<ChallengeRow> {
  const challenge = await challengeRepository(executor).lock(gameId, id)
  if (!challenge) throw new Problem('challenge.unknown')
  return challenge
}

async function present(
  { runtime, config }: Pick<InstanceDeps, 'config' | 'runtime'>,
  executor: Executor,
  challenge: ChallengeRow,
): Promise<ChallengeEdit> {
  const repository = challengeRepository(executor)
  const attachment = challenge.attachmentId === null ? undefined : await repository.findAttachment(challenge.attachmentId)
  const flags = hasFlagList(challenge.type) ? await repository.listFlags(challenge.id) : []
  const test = await repository.findTestInstance(challenge.id)
  return presentChallengeEdit(challenge, {
    attachment,
    flags,
    testContainer: test && presentContainerInfo(test, presentEntry(test, runtime.exposure, config.instances.publicHost)),
  })
}

/** Writes the notices of an edit in its transaction. */
async function writeNotices(
  deps: Pick<InstanceDeps, 'clock'>,
  executor: Executor,
  game: GameRow,
  before: ChallengeRow,
  after: ChallengeRow,
) {
  const { clock } = deps
  const isRunning = phaseOf(timesOf(game), clock.now()) === 'running'
  const written: GameNotice[] = []
  for (const type of noticesOfEdit(before, after, isRunning))
    written.push(await insertGeneratedNotice(deps, executor, game.id, type, after))
  return written
}

/** Lists challenges by id; empty for an unknown game. */
export async function listChallenges({ db }: Pick<InstanceDeps, 'db'>, gameId: number): Promise<ChallengeBrief[]> {
  const repository = challengeRepository(db)
  const [rows, solvers] = await Promise.all([repository.list(gameId), repository.countSolvers(gameId)])
  return rows.map((challenge) => presentChallengeBrief(challenge, solvers.get(challenge.id) ?? 0))
}

/** Creates a disabled challenge with defaults and the platform's flag template. @throws Problem `game.unknown` */
export async function createChallenge(
  deps: Pick<InstanceDeps, 'config' | 'db' | 'runtime'>,
  gameId: number,
  { title, category, type = 'StaticAttachment' }: ChallengeCreate,
  executor: Executor = deps.db,
): Promise<ChallengeEdit> {
  await getGame(deps, gameId, executor)
  const { defaultFlagTemplate } = (await readSettings(deps, executor)).globalConfig
  const challenge = await challengeRepository(executor).insert({
    gameId,
    title: title.trim(),
    category: category ?? 'Misc',
    type,
    flagTemplate: type === 'DynamicContainer' ? defaultFlagTemplate : null,
  })
  return present(deps, executor, challenge)
}

/** @throws Problem `challenge.unknown` */
export async function getChallenge(
  deps: Pick<InstanceDeps, 'config' | 'db' | 'runtime'>,
  gameId: number,
  id: number,
  executor: Executor = deps.db,
): Promise<ChallengeEdit> {
  const challenge = await challengeRepository(executor).find(gameId, id)
  if (!challenge) throw new Problem('challenge.unknown')
  return present(deps, executor, challenge)
}

/**
 * Changes, enables or disables a challenge.
 * @throws Problem `game.unknown`, `challenge.unknown`, `challenge.no-flag`, `challenge.capture`, `flag.template-weak`,
 * `flag.template-long`
 */
export async function updateChallenge(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  update: ChallengeUpdate,
): Promise<ChallengeEdit> {
  const { db } = deps
  const result = await db.transaction(async (transaction) => {
    // The lock blocks joins and reviews, so that every team gets its assignment of an enabled challenge.
    const game = await lockGame(transaction, gameId)
    const repository = challengeRepository(transaction)
    const before = await lock(transaction, gameId, id)
    const refusal = refuseUpdate({ type: before.type, flagCount: await repository.countFlags(id) }, update)
    if (refusal) throw new Problem(refusal)
    const after = await repository.update(id, valuesAfter(before, update))
    if (after.isEnabled) await repository.createAssignments(gameId, id)
    const ended =
      before.isEnabled && !after.isEnabled ? await endInstances(deps, transaction, { challengeId: id, teamsOnly: true }) : []
    const written = await writeNotices(deps, transaction, game, before, after)
    return { edit: await present(deps, transaction, after), ended, written }
  })
  await announceEndings(deps, result.ended)
  await announceNotices(deps, gameId, result.written)
  return result.edit
}

/** @throws Problem `challenge.unknown` */
export async function getChallengeReach({ db }: Pick<InstanceDeps, 'db'>, gameId: number, id: number): Promise<ChallengeReach> {
  const challenge = await challengeRepository(db).find(gameId, id)
  if (!challenge) throw new Problem('challenge.unknown')
  return presentChallengeReach(challenge)
}

/** @throws Problem `challenge.unknown`, `challenge.guard` */
export function setChallengeReach(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  id: number,
  reach: ChallengeReach,
): Promise<ChallengeReach> {
  return db.transaction(async (transaction) => {
    await lock(transaction, gameId, id)
    const { speaks, isRaw, hasOwnCertificate, isGuarded = false } = reach
    if (isGuarded && !canBeGuarded(reach)) throw new Problem('challenge.guard')
    const values = { speaks, isRawHttp: isRaw, hasOwnCertificate, isGuarded }
    return presentChallengeReach(await challengeRepository(transaction).update(id, values))
  })
}

/** Lists the readiness of challenges by id; empty for an unknown game. */
export async function listChallengeReadiness({ db }: Pick<InstanceDeps, 'db'>, gameId: number): Promise<ChallengeReadiness[]> {
  return (await challengeRepository(db).listReadiness([gameId])).map(presentReadiness)
}

/** Counts the ready challenges of each game that has not started. */
export async function countReadyChallenges(
  { clock, db }: Pick<InstanceDeps, 'clock' | 'db'>,
  listed: readonly GameRow[],
): Promise<Map<number, ReadyCounts>> {
  const upcoming = listed.filter((game) => phaseOf(timesOf(game), clock.now()) === 'upcoming').map(({ id }) => id)
  const byGame = Map.groupBy(await challengeRepository(db).listReadiness(upcoming), ({ gameId }) => gameId)
  return new Map(upcoming.map((id) => [id, countReady((byGame.get(id) ?? []).map(presentReadiness))]))
}

/** Lists labels of challenges by id; empty for an unknown game. */
export async function listChallengeLabels({ db }: Pick<InstanceDeps, 'db'>, gameId: number): Promise<LabeledChallenge[]> {
  return (await challengeRepository(db).list(gameId)).map(presentLabeled)
}

/** @throws Problem `challenge.unknown` */
export async function setChallengeLabels(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  id: number,
  { tags, difficulty }: ChallengeLabels,
): Promise<{ title: string; labels: ChallengeLabels }> {
  const stored = await db.transaction(async (transaction) => {
    await lock(transaction, gameId, id)
    return challengeRepository(transaction).update(id, { tags: tidyTags(tags), level: difficulty })
  })
  return { title: stored.title, labels: presentLabels(stored) }
}

/** @throws Problem `challenge.unknown` */
export async function getContainer(
  { db, config }: Pick<InstanceDeps, 'config' | 'db'>,
  gameId: number,
  id: number,
): Promise<ContainerSettings> {
  const challenge = await challengeRepository(db).find(gameId, id)
  if (!challenge) throw new Problem('challenge.unknown')
  return presentContainer(challenge, config.instances.choices)
}

/**
 * Sets the container definition for future instances.
 * @throws Problem `challenge.unknown`, `request.invalid` with every fault
 */
export function setContainer(
  { db, config }: Pick<InstanceDeps, 'config' | 'db'>,
  gameId: number,
  id: number,
  definition: ContainerDefinition,
): Promise<ContainerSettings> {
  return db.transaction(async (transaction) => {
    const before = await lock(transaction, gameId, id)
    const { choices } = config.instances
    const after = containerAfter(before, definition, choices)
    if ('faults' in after)
      throw new Problem('request.invalid', { detail: after.faults.map(({ at, fault }) => `${at}: ${fault}`).join(', ') })
    return presentContainer(await challengeRepository(transaction).update(id, after.values), choices)
  })
}

/** Deletes a challenge with files, flags, instances, submissions and captures. @throws Problem `challenge.unknown` */
export async function deleteChallenge(deps: InstanceDeps, gameId: number, id: number): Promise<void> {
  const { db, blobs } = deps
  const left = await db.transaction(async (transaction) => {
    const repository = challengeRepository(transaction)
    const challenge = await lock(transaction, gameId, id)
    const attachmentIds = await repository.listFlagAttachmentIds(id)
    if (challenge.attachmentId !== null) attachmentIds.push(challenge.attachmentId)
    const captures = await repository.listCaptures(id)
    const ended = await endInstances(deps, transaction, { challengeId: id })
    await repository.delete(id)
    const hashes = await repository.deleteAttachments(attachmentIds)
    await releaseFiles(transaction, hashes)
    return { captures, ended, hashes }
  })
  await announceEndings(deps, left.ended)
  await sweepFiles(deps, left.hashes)
  await deleteCaptureBlobs(
    blobs,
    left.captures.map((capture) => ({ ...capture, challengeId: id })),
  )
}

/** Sets the accepted counts of a game from the stored solves. @throws Problem `game.unknown` */
export async function recountGame(deps: Pick<InstanceDeps, 'db'>, gameId: number): Promise<void> {
  const { db } = deps
  await getGame(deps, gameId)
  await recountSolves(db, gameId)
}
