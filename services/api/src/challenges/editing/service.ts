// Challenges for organizers. Rules: docs/contract/challenges.md#editing.
import { createDefaultChallenge } from '@capstan/challenge-files/challenge/challenge'
import type { ChallengeLabels, LabeledChallenge } from '@capstan/contract/challenge-labels'
import { changeEntryContainer, entryContainerOf } from '@capstan/contract/challenge-parts'
import { hasContainer, hasFlagList } from '@capstan/contract/challenge-types'
import type { ChallengeBrief, ChallengeCreate, ChallengeEdit, ChallengeUpdate } from '@capstan/contract/challenges'
import type { ContainerDefinition, ContainerSettings } from '@capstan/contract/container-definition'
import { gamePhaseOf } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import { type ChallengeReach, canInstanceBeGuarded } from '@capstan/contract/reach'
import { type ChallengeReadiness, countChallengesByReadiness, type ReadyCounts } from '@capstan/contract/readiness'
import type { Executor } from '@capstan/db/client'
import { type GameRow, getGame, lockGame, timesOfGame } from '../../games/editing/service.ts'
import { recountAcceptedSolves } from '../../games/solves/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { endInstances, finishInstanceEndings } from '../../instances/lifecycle/endings.ts'
import { presentContainerInfo, presentInstanceEntry } from '../../instances/lifecycle/presenter.ts'
import { reachOfChallenge } from '../../instances/lifecycle/reach.ts'
import { listTestedChallenges } from '../../instances/lifecycle/test-service.ts'
import { deleteUnreferencedFiles, releaseFiles } from '../../server/files/service.ts'
import { deleteCaptureBlobs } from '../../server/files/stored-captures.ts'
import { readSettings } from '../../server/settings/service.ts'
import { assertValidContainers, refuseInvalidChallengeUpdate, removePrerequisite } from './policy.ts'
import { presentChallengeBrief, presentContainer, presentLabeledChallenge, presentLabels, presentReadiness } from './presenter.ts'
import { applyChallengeLabels, applyChallengeUpdate, presentChallengeEdit } from './reference.ts'
import { createChallengeRepository } from './repository.ts'
import type { ChallengeRows } from './rows.ts'
import { editChallenge, getChallengeRow, getStoredChallengeRows, insertChallenge, lockChallenge } from './store.ts'

async function present(
  { runtime, config }: Pick<InstanceDeps, 'config' | 'runtime'>,
  executor: Executor,
  rows: ChallengeRows,
): Promise<ChallengeEdit> {
  const { challenge, attachment, flags } = rows
  const test = (await createChallengeRepository(executor).findTestInstances([challenge.id])).get(challenge.id)
  return presentChallengeEdit(challenge, {
    attachment,
    flags: hasFlagList(challenge.type) ? flags : [],
    testContainer: test && presentContainerInfo(test, presentInstanceEntry(test, runtime.exposure, config.instances.publicHost)),
  })
}

export async function listChallenges({ db }: Pick<InstanceDeps, 'db'>, gameId: number): Promise<ChallengeBrief[]> {
  const repository = createChallengeRepository(db)
  const [rows, solvers] = await Promise.all([repository.list(gameId), repository.countSolvers(gameId)])
  const maxSolvers = Math.max(0, ...rows.map(({ id, isEnabled }) => (isEnabled ? (solvers.get(id) ?? 0) : 0)))
  return rows.map((challenge) => presentChallengeBrief(challenge, solvers.get(challenge.id) ?? 0, maxSolvers))
}

/** Creates a disabled challenge with defaults and the platform's flag template. @throws Problem `game.unknown` */
export async function createChallenge(
  deps: Pick<InstanceDeps, 'config' | 'db' | 'runtime'>,
  gameId: number,
  { title, category = 'Misc', type = 'StaticAttachment' }: ChallengeCreate,
): Promise<ChallengeEdit> {
  const { db } = deps
  await getGame(deps, gameId)
  const { defaultFlagTemplate } = (await readSettings(deps)).globalConfig
  const template = type === 'DynamicContainer' ? (defaultFlagTemplate ?? '') : ''
  const challenge = { ...createDefaultChallenge(title.trim(), category, type), template }
  return present(deps, db, await getStoredChallengeRows(db, await insertChallenge(db, gameId, challenge)))
}

/** @throws Problem `challenge.unknown` */
export async function getChallenge(
  deps: Pick<InstanceDeps, 'config' | 'db' | 'runtime'>,
  gameId: number,
  id: number,
  executor: Executor = deps.db,
): Promise<ChallengeEdit> {
  return present(deps, executor, await getStoredChallengeRows(executor, await getChallengeRow(executor, gameId, id)))
}

/**
 * Changes, enables or disables a challenge.
 * @throws Problem `game.unknown`, `challenge.unknown`, `challenge.no-flag`, `challenge.capture`, `flag.template-weak`,
 * `flag.template-long`, `request.invalid` for a port that contradicts other settings of the containers
 */
export async function updateChallenge(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  update: ChallengeUpdate,
): Promise<ChallengeEdit> {
  const { after } = await editChallenge(deps, {
    gameId,
    id,
    change: (stored) => {
      const refusal = refuseInvalidChallengeUpdate(stored, update)
      if (refusal) throw new Problem(refusal)
      const changed = applyChallengeUpdate(stored, update)
      // Check the containers only after a change of the port. No other field of this edit can cause a contradiction. An older
      // contradiction must not block other edits.
      if (hasContainer(stored.type) && entryContainerOf(changed).port !== entryContainerOf(stored).port)
        assertValidContainers(changed.containers, stored.containers, deps.config.instances.choices)
      return changed
    },
  })
  return present(deps, deps.db, after)
}

/** @throws Problem `challenge.unknown` */
export async function getChallengeReach({ db }: Pick<InstanceDeps, 'db'>, gameId: number, id: number): Promise<ChallengeReach> {
  return reachOfChallenge(await getChallengeRow(db, gameId, id))
}

/** @throws Problem `challenge.unknown`, `challenge.guard` */
export async function setChallengeReach(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  reach: ChallengeReach,
): Promise<ChallengeReach> {
  await getChallengeRow(deps.db, gameId, id)
  if (reach.isGuarded && !canInstanceBeGuarded(reach)) throw new Problem('challenge.guard')
  const { after } = await editChallenge(deps, { gameId, id, change: (stored) => changeEntryContainer(stored, { reach }) })
  return reachOfChallenge(after.challenge)
}

async function readReadiness({ db }: Pick<InstanceDeps, 'db'>, gameIds: readonly number[]) {
  const rows = await createChallengeRepository(db).listReadiness(gameIds)
  const tested = await listTestedChallenges(
    { db },
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ gameId: row.gameId, ...presentReadiness(row, tested) }))
}

export async function listChallengeReadiness(deps: Pick<InstanceDeps, 'db'>, gameId: number): Promise<ChallengeReadiness[]> {
  return (await readReadiness(deps, [gameId])).map(({ gameId: _, ...readiness }) => readiness)
}

/** Counts the ready challenges of each game that has not started. */
export async function countReadyChallenges(
  { clock, db }: Pick<InstanceDeps, 'clock' | 'db'>,
  listed: readonly GameRow[],
): Promise<Map<number, ReadyCounts>> {
  const upcoming = listed.filter((game) => gamePhaseOf(timesOfGame(game), clock.now()) === 'upcoming').map(({ id }) => id)
  const byGame = Map.groupBy(await readReadiness({ db }, upcoming), ({ gameId }) => gameId)
  return new Map(upcoming.map((id) => [id, countChallengesByReadiness(byGame.get(id) ?? [])]))
}

export async function listChallengeLabels({ db }: Pick<InstanceDeps, 'db'>, gameId: number): Promise<LabeledChallenge[]> {
  return (await createChallengeRepository(db).list(gameId)).map(presentLabeledChallenge)
}

/** @throws Problem `challenge.unknown` */
export async function setChallengeLabels(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  labels: ChallengeLabels,
): Promise<{ title: string; labels: ChallengeLabels }> {
  await getChallengeRow(deps.db, gameId, id)
  const { after } = await editChallenge(deps, { gameId, id, change: (stored) => applyChallengeLabels(stored, labels) })
  return { title: after.challenge.title, labels: presentLabels(after.challenge) }
}

/** @throws Problem `challenge.unknown` */
export async function getContainerSettings(
  { db, config }: Pick<InstanceDeps, 'config' | 'db'>,
  gameId: number,
  id: number,
): Promise<ContainerSettings> {
  return presentContainer(await getChallengeRow(db, gameId, id), config.instances.choices)
}

/**
 * Sets the container definition for future instances.
 * @throws Problem `challenge.unknown`, `request.invalid` with every fault
 */
export async function setContainerSettings(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  definition: ContainerDefinition,
): Promise<ContainerSettings> {
  const { choices } = deps.config.instances
  await getChallengeRow(deps.db, gameId, id)
  const { after } = await editChallenge(deps, {
    gameId,
    id,
    change: (stored) => {
      const changed = changeEntryContainer(stored, { definition })
      assertValidContainers(changed.containers, stored.containers, choices, '/0/definition')
      return changed
    },
  })
  return presentContainer(after.challenge, choices)
}

/** Deletes a challenge with files, flags, instances, submissions and traffic captures. @throws Problem `challenge.unknown` */
export async function deleteChallenge(deps: InstanceDeps, gameId: number, id: number): Promise<void> {
  const { db, blobs } = deps
  const left = await db.transaction(async (transaction) => {
    const repository = createChallengeRepository(transaction)
    await lockGame(transaction, gameId)
    const { attachment, flags } = await getStoredChallengeRows(transaction, await lockChallenge(transaction, gameId, id))
    const attachmentIds = [attachment, ...flags.map((flag) => flag.attachment)].flatMap((file) => file?.id ?? [])
    const captures = await repository.listCaptures(id)
    const ended = await endInstances(deps, transaction, { challengeId: id })
    for (const { id: other, unlockRule } of await repository.list(gameId))
      if (unlockRule?.after.includes(id)) await repository.update(other, { unlockRule: removePrerequisite(unlockRule, id) })
    await repository.delete(id)
    const hashes = await repository.deleteAttachments(attachmentIds)
    await releaseFiles(transaction, hashes)
    return { captures, ended, hashes }
  })
  await finishInstanceEndings(deps, left.ended)
  await deleteUnreferencedFiles(deps, left.hashes)
  await deleteCaptureBlobs(
    blobs,
    left.captures.map((capture) => ({ ...capture, challengeId: id })),
  )
}

/** Counts the solves of each challenge in a game again, and updates the stored numbers. @throws Problem `game.unknown` */
export async function updateAcceptedCounts(deps: Pick<InstanceDeps, 'db'>, gameId: number): Promise<void> {
  const { db } = deps
  await getGame(deps, gameId)
  await recountAcceptedSolves(db, gameId)
}
