// Test instances of organizers. They have no team, no limit and no events, and run for two hours. Rules:
// docs/contract/instances.md#test-instances.
import type { ContainerInfo, TestReport } from '@capstan/contract/challenges'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { InstanceAccess } from '@capstan/contract/reach'
import { generateTestContainerFlag } from '../../rules/flags/template.ts'
import { openGameKey } from '../../rules/signing/game-keys.ts'
import { deriveGameSalt } from '../../rules/signing/game-salt.ts'
import { cryptoRandom } from '../../rules/signing/random.ts'
import type { InstanceDeps } from '../deps.ts'
import { finishInstanceEndings } from './endings.ts'
import { launchInstance } from './launch.ts'
import { getExpiryAfterStart, refuseInstanceStart } from './policy.ts'
import { presentContainerInfo, presentInstanceAccess, presentInstanceEntry, presentTestSteps } from './presenter.ts'
import { requiredPlainPortsOf } from './reach.ts'
import { createInstanceRepository } from './repository.ts'
import { createInstanceSpec, exposureOfNewInstance } from './spec.ts'
import type { StartLog } from './start-log.ts'

/**
 * Starts a test instance of a challenge. If a test instance is already running, replaces it.
 * @throws Problem `challenge.unknown`, `instance.type`, `instance.not-configured`, `instance.failed`
 */
export async function startTestInstance(
  deps: InstanceDeps & Readonly<{ startLog: StartLog }>,
  gameId: number,
  challengeId: number,
): Promise<ContainerInfo> {
  const { db, clock, runtime, config } = deps
  const begun = await db.transaction(async (transaction) => {
    const repository = createInstanceRepository(transaction)
    const game = await repository.lockGameAgainstDeletion(gameId)
    if (!game) throw new Problem('game.unknown')
    const challenge = await repository.lockChallenge(gameId, challengeId)
    if (!challenge) throw new Problem('challenge.unknown')
    const refusal = refuseInstanceStart(challenge)
    if (refusal) throw new Problem(refusal)
    const former = await repository.findLiveTest(challengeId)
    if (former) await repository.end(former.id, clock.now())
    const startedAt = clock.now()
    const row = await repository.insert(
      {
        gameId,
        challengeId,
        image: challenge.containerImage,
        furtherImages: challenge.furtherContainers.map(({ image }) => image),
        startedAt,
        expiresAt: getExpiryAfterStart(startedAt, Limits.testInstanceMinutes),
        exposure: exposureOfNewInstance(runtime, challenge),
      },
      config.instances.ways.ports,
      requiredPlainPortsOf(challenge, config.instances.ways),
    )
    const context = () => ({ gameSalt: deriveGameSalt(openGameKey(game, config.secretKey)), challengeId })
    const flag =
      challenge.type === 'DynamicContainer'
        ? generateTestContainerFlag(challenge.flagTemplate, context(), cryptoRandom)
        : undefined
    const spec = createInstanceSpec(row, challenge, { flag, teamId: undefined, capture: false, ways: config.instances.ways })
    return { row, spec, ended: former ? [former.id] : [] }
  })
  await finishInstanceEndings(deps, begun.ended)
  const row = await launchInstance(deps, begun.row, begun.spec)
  return presentContainerInfo(row, presentInstanceEntry(row, runtime.exposure, config.instances.publicHost))
}

/** Returns the ids of the challenges that ever had a ready test instance with the current images. */
export async function listTestedChallenges(
  { db }: Pick<InstanceDeps, 'db'>,
  challengeIds: readonly number[],
): Promise<ReadonlySet<number>> {
  return new Set(await createInstanceRepository(db).listTested(challengeIds))
}

/** Returns whether a test instance ever ran, and the steps of the newest test instance. @throws Problem `challenge.unknown` */
export async function getTestInstanceReport(
  { db, startLog }: Pick<InstanceDeps & Readonly<{ startLog: StartLog }>, 'db' | 'startLog'>,
  gameId: number,
  challengeId: number,
): Promise<TestReport> {
  if (!(await createInstanceRepository(db).findChallenge(gameId, challengeId))) throw new Problem('challenge.unknown')
  const row = await createInstanceRepository(db).findLastTest(challengeId)
  return {
    hasRun: (await listTestedChallenges({ db }, [challengeId])).has(challengeId),
    steps: row ? presentTestSteps(row, startLog.stepsOf(row.id)) : [],
    instanceId: row && row.endedAt === null ? row.id : null,
  }
}

/** Returns the addresses of the test instance. @throws Problem `challenge.unknown`, `instance.none` */
export async function listTestInstanceAccess(
  deps: InstanceDeps & Readonly<{ startLog: StartLog }>,
  gameId: number,
  challengeId: number,
): Promise<InstanceAccess[]> {
  const { db } = deps
  const challenge = await createInstanceRepository(db).findChallenge(gameId, challengeId)
  if (!challenge) throw new Problem('challenge.unknown')
  const row = await createInstanceRepository(db).findLiveTest(challengeId)
  if (!row) throw new Problem('instance.none')
  return presentInstanceAccess(await createInstanceRepository(db).withPorts(row), challenge, deps)
}

/** Stops the test instance. Succeeds even if there is none. @throws Problem `challenge.unknown` */
export async function stopTestInstance(
  deps: InstanceDeps & Readonly<{ startLog: StartLog }>,
  gameId: number,
  challengeId: number,
): Promise<void> {
  const { db, clock } = deps
  const challenge = await createInstanceRepository(db).findChallenge(gameId, challengeId)
  if (!challenge) throw new Problem('challenge.unknown')
  const live = await createInstanceRepository(db).findLiveTest(challengeId)
  if (!live) return
  await createInstanceRepository(db).end(live.id, clock.now())
  await finishInstanceEndings(deps, [live.id])
}
