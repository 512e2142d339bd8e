// Starts, stops, extends and lists instances for players and admins. Rules: docs/contract/instances.md.
import type { InstancePage, InstanceState, InstanceUsage } from '@capstan/contract/admin'
import type { ContainerInfo, TeamInstance } from '@capstan/contract/challenges'
import { isChallengeClosed } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { InstanceAccess } from '@capstan/contract/reach'
import type { Executor } from '@capstan/db/client'
import { retryUntilOutcomeKnown } from '@capstan/db/retry-until-known'
import { divisionSeesChallenge } from '../../rules/scoring/division-rights.ts'
import { refuseUnlessAccepted } from '../../rules/scoring/participation.ts'
import { instanceStartRule, type RateLimiter } from '../../server/http/rate-limiter.ts'
import { type Recorder, recordSystemAction } from '../../server/logs/record.ts'
import type { ChallengeLocks } from '../../server/players/locks.ts'
import { gameTimesOf, type Player, type PlayerService } from '../../server/players/service.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { readSettings } from '../../server/settings/service.ts'
import type { InstanceDeps } from '../deps.ts'
import { assignGeneratedFlag } from '../team-flags/service.ts'
import { finishInstanceEndings } from './endings.ts'
import { failureOfEndedInstance, launchInstance } from './launch.ts'
import {
  decideStartAtInstanceLimit,
  getExpiryAfterExtension,
  getExpiryAfterStart,
  getRemainingCooldownMs,
  refuseInstanceExtension,
  refuseInstanceStart,
} from './policy.ts'
import {
  presentContainerInfo,
  presentInstanceAccess,
  presentInstanceEntry,
  presentInstancePage,
  presentInstanceState,
  presentTeamInstance,
  presentUsage,
} from './presenter.ts'
import { requiredPlainPortsOf } from './reach.ts'
import { type ChallengeRow, createInstanceRepository, type InstanceRow } from './repository.ts'
import { type MeasuredUsages, resourceLimitsOf, sumResourceAmounts } from './runtime.ts'
import { createInstanceSpec, exposureOfNewInstance } from './spec.ts'
import { notifyTeamsOfInstances } from './team-notifier.ts'

type Actor = Pick<SessionUser, 'id' | 'userName'>

type PlayerContext = Readonly<{
  player: Player
  challenge: ChallengeRow
  user: Actor
  record: Recorder
}>

type InstanceServiceDeps = InstanceDeps &
  Readonly<{
    players: PlayerService
    locks: ChallengeLocks
    limiter: RateLimiter
  }>

function present({ runtime, config }: Pick<InstanceDeps, 'runtime' | 'config'>, row: InstanceRow): ContainerInfo {
  return presentContainerInfo(row, presentInstanceEntry(row, runtime.exposure, config.instances.publicHost))
}

/**
 * Returns the player and the challenge of a call.
 * @throws Problem `challenge.unknown`, `challenge.locked`, or a problem of `refusePlayerCall`
 */
async function enter(
  { db, players, locks }: InstanceServiceDeps,
  gameId: number,
  challengeId: number,
  user: Actor,
  record: Recorder,
): Promise<PlayerContext> {
  const player = await players.get('container', gameId, user.id)
  const challenge = await createInstanceRepository(db).findChallenge(gameId, challengeId)
  if (!challenge?.isShown || !divisionSeesChallenge(player.division, challengeId)) throw new Problem('challenge.unknown')
  await locks.checkUnlocked(player, challenge)
  return { player, challenge, user, record }
}

/** @throws Problem `challenge.closed` between the deadline of the challenge and the end of the game */
function refuseClosed({ clock }: Pick<InstanceDeps, 'clock'>, { player, challenge }: PlayerContext): void {
  if (isChallengeClosed(challenge.deadlineAt, gameTimesOf(player.game), clock.now())) throw new Problem('challenge.closed')
}

/**
 * Locks the participation, so that actions of a team run one after another. Then reads the status of the participation
 * again, because it may have changed before the lock.
 */
async function lockParticipation(executor: Executor, { player }: PlayerContext): Promise<void> {
  const participation = await createInstanceRepository(executor).lockParticipation(player.participation.id)
  const refusal = refuseUnlessAccepted(participation?.status)
  if (refusal) throw new Problem(refusal)
}

function checkCooldown({ clock }: Pick<InstanceDeps, 'clock'>, lastOperationAt: Date | null | undefined): void {
  const leftMs = getRemainingCooldownMs(lastOperationAt, clock.now())
  if (leftMs > 0) throw new Problem('instance.cooldown', { retryAfterSeconds: leftMs / 1_000 })
}

/** True if the runtime reports a failure, or if the object of a running instance is missing. */
function isDead({ runtime }: Pick<InstanceDeps, 'runtime'>, row: InstanceRow): boolean {
  const observed = runtime.find(row.id)
  if (observed) return observed.state.kind === 'failed'
  return row.status === 'Running' && runtime.list() !== undefined
}

/** Queries the cluster for an instance that the watch has not reported, because another process may have created it. */
async function queryUnreportedInstance(
  deps: Pick<InstanceDeps, 'db' | 'runtime'>,
  participationId: number,
  challengeId: number,
): Promise<void> {
  const { db, runtime } = deps
  const row = await createInstanceRepository(db).findLive(participationId, challengeId)
  if (row && isDead(deps, row) && !runtime.find(row.id)) await runtime.exists?.(row.id)
}

function isStarted({ runtime }: Pick<InstanceDeps, 'runtime'>, row: InstanceRow): boolean {
  return row.answeredAt !== null && (row.status === 'Running' || runtime.find(row.id)?.state.kind === 'ready')
}

/** Stores an event. @returns a function that publishes the event; call it after the commit */
async function writeEvent(
  { bus, clock }: Pick<InstanceDeps, 'bus' | 'clock'>,
  executor: Executor,
  { player, user }: PlayerContext,
  type: 'ContainerStart' | 'ContainerDestroy',
  challenge: Pick<ChallengeRow, 'id' | 'title'>,
): Promise<() => void> {
  const occurredAt = clock.now()
  const gameId = player.game.id
  const values = [String(challenge.id), challenge.title]
  const event = { gameId, type, values, occurredAt, userId: user.id, teamId: player.team.id }
  await createInstanceRepository(executor).insertEvent(event)
  const payload = { time: occurredAt.toISOString(), user: user.userName, team: player.team.name, type, values }
  return () => bus.publish({ kind: 'event', gameId, payload })
}

function log({ player, challenge, record }: PlayerContext, what: string): void {
  record(`${what} the instance of "${challenge.title}" for team "${player.team.name}"`)
}

/**
 * Returns the pending start of the challenge. If no start is pending, ends the instances that a new start replaces.
 * @throws Problem `instance.running`, `instance.cooldown`, `instance.limit`
 */
async function joinOrMakeRoom(deps: InstanceDeps, executor: Executor, context: PlayerContext, destroysOldest: boolean) {
  const repository = createInstanceRepository(executor)
  const { player, challenge } = context
  const live = await repository.listLiveOf(player.participation.id)
  const same = live.find(({ instance }) => instance.challengeId === challenge.id)?.instance
  if (same && !isDead(deps, same)) {
    if (isStarted(deps, same)) throw new Problem('instance.running')
    return { joined: same, ended: [], pushes: [] }
  }
  const { lastInstanceOperationAt } = (await repository.findAssignment(player.participation.id, challenge.id)) ?? {}
  // A start causes no cool-down if its caller received no response.
  if (!same || same.answeredAt !== null) checkCooldown(deps, lastInstanceOperationAt)
  const others = live.filter(({ instance }) => instance !== same)
  const decision = decideStartAtInstanceLimit(others, player.game.containerCountLimit, destroysOldest)
  if (decision.kind === 'refused') throw new Problem('instance.limit')
  const ended = same ? [same.id] : []
  const pushes: (() => void)[] = []
  for (const { instance, challengeTitle } of decision.kind === 'replace' ? decision.instances : []) {
    pushes.push(
      await writeEvent(deps, executor, context, 'ContainerDestroy', { id: instance.challengeId, title: challengeTitle }),
    )
    ended.push(instance.id)
  }
  for (const id of ended) await repository.end(id, deps.clock.now())
  return { joined: undefined, ended, pushes }
}

/**
 * Records that the caller receives a starting or ready instance. The first such caller is stored as the user who started it.
 * @throws Problem `instance.failed` if the instance has ended
 */
async function recordStartAnswer(deps: InstanceDeps, context: PlayerContext, row: InstanceRow): Promise<void> {
  const { db, clock } = deps
  const push = await retryUntilOutcomeKnown(() =>
    db.transaction(async (transaction) => {
      const isFirst = await createInstanceRepository(transaction).setAnswered(row.id, context.user.id, clock.now())
      return isFirst ? writeEvent(deps, transaction, context, 'ContainerStart', context.challenge) : undefined
    }),
  )
  if (push) {
    push()
    if (row.startedBy !== context.user.id) await notifyTeamsOfInstances(deps, [row.id])
    log(context, 'Started')
  } else {
    const ended = await createInstanceRepository(db).find(row.id)
    if (ended?.endedAt !== null) throw failureOfEndedInstance(ended)
  }
}

/**
 * Starts the team's instance and waits until it accepts connections. If a start is already pending in any process, the call joins
 * it.
 * @returns the instance; its status is Pending if it is not ready within the configured time
 * @throws Problem `instance.type`, `instance.not-configured`, `instance.running`, `instance.cooldown`, `instance.limit`,
 * `instance.failed`, `request.rate-limited`, …
 */
export async function startInstance(
  deps: InstanceServiceDeps,
  gameId: number,
  challengeId: number,
  user: Actor,
  record: Recorder,
): Promise<ContainerInfo> {
  const { db, runtime, clock, config, limiter } = deps
  const context = await enter(deps, gameId, challengeId, user, record)
  const { player } = context
  const refusal = refuseInstanceStart(context.challenge)
  if (refusal) throw new Problem(refusal)
  refuseClosed(deps, context)
  const participationId = player.participation.id
  const { containerPolicy } = await readSettings(deps)
  await queryUnreportedInstance(deps, participationId, challengeId)
  const begun = await db.transaction(async (transaction) => {
    const repository = createInstanceRepository(transaction)
    await lockParticipation(transaction, context)
    const challenge = await repository.lockChallengeAgainstChanges(gameId, challengeId)
    if (!challenge?.isShown) throw new Problem('challenge.unknown')
    const { joined, ended, pushes } = await joinOrMakeRoom(deps, transaction, context, containerPolicy.autoDestroyOnLimitReached)
    // A cool-down limits only one challenge, and a failed start causes none. This rate limit applies to all starts of the team.
    if (!joined && config.rateLimits) await limiter.take(`instance-start:${participationId}`, instanceStartRule)
    const flag =
      challenge.type === 'DynamicContainer' ? await assignGeneratedFlag(deps, transaction, { ...player, challenge }) : undefined
    const startedAt = clock.now()
    const row =
      (joined && (await repository.withPorts(joined))) ??
      (await repository.insert(
        {
          gameId,
          challengeId,
          participationId,
          image: challenge.containerImage,
          startedAt,
          startedBy: user.id,
          expiresAt: getExpiryAfterStart(startedAt, containerPolicy.defaultLifetime),
          exposure: exposureOfNewInstance(runtime, challenge),
          capture: config.instances.capture && challenge.capture,
        },
        config.instances.ways.ports,
        requiredPlainPortsOf(challenge, config.instances.ways),
      ))
    if (!joined) await repository.setLastOperation(participationId, challengeId, startedAt)
    const { capture, ways } = config.instances
    const spec = createInstanceSpec(row, challenge, { flag, teamId: player.team.id, capture, ways })
    return { row, spec, ended, pushes, isJoined: joined !== undefined }
  })
  for (const push of begun.pushes) push()
  await finishInstanceEndings(deps, begun.ended)
  if (!begun.isJoined) await notifyTeamsOfInstances(deps, [begun.row.id])
  const row = await launchInstance(deps, begun.row, begun.spec, { isJoined: begun.isJoined }).catch(async (error: unknown) => {
    // A failed start causes no cool-down.
    await createInstanceRepository(db).forgetOperation(participationId, challengeId, begun.row.startedAt)
    throw error
  })
  await recordStartAnswer(deps, context, row)
  return present(deps, row)
}

/** @throws Problem `instance.none`, `instance.cooldown`, … */
export async function stopInstance(
  deps: InstanceServiceDeps,
  gameId: number,
  challengeId: number,
  user: Actor,
  record: Recorder,
): Promise<void> {
  const { db, clock } = deps
  const context = await enter(deps, gameId, challengeId, user, record)
  const participationId = context.player.participation.id
  const { row, push } = await db.transaction(async (transaction) => {
    const repository = createInstanceRepository(transaction)
    await lockParticipation(transaction, context)
    const live = await repository.findLive(participationId, challengeId)
    if (!live) throw new Problem('instance.none')
    checkCooldown(deps, (await repository.findAssignment(participationId, challengeId))?.lastInstanceOperationAt)
    await repository.end(live.id, clock.now())
    await repository.setLastOperation(participationId, challengeId, clock.now())
    return { row: live, push: await writeEvent(deps, transaction, context, 'ContainerDestroy', context.challenge) }
  })
  push()
  await finishInstanceEndings(deps, [row.id])
  log(context, 'Stopped')
}

/**
 * Prolongs the lifetime of the instance.
 * @throws Problem `instance.none`, `instance.not-extendable`, …
 */
export async function extendInstance(
  deps: InstanceServiceDeps,
  gameId: number,
  challengeId: number,
  user: Actor,
  record: Recorder,
): Promise<ContainerInfo> {
  const { db, runtime, clock, platformLog } = deps
  const context = await enter(deps, gameId, challengeId, user, record)
  refuseClosed(deps, context)
  const { containerPolicy } = await readSettings(deps)
  const row = await db.transaction(async (transaction) => {
    const repository = createInstanceRepository(transaction)
    await lockParticipation(transaction, context)
    const live = await repository.findLive(context.player.participation.id, challengeId)
    if (!live) throw new Problem('instance.none')
    const refusal = refuseInstanceExtension(live.expiresAt, clock.now(), containerPolicy.renewalWindow)
    if (refusal) throw new Problem(refusal)
    const extended = await repository.setExpiry(
      live.id,
      getExpiryAfterExtension(live.expiresAt, containerPolicy.extensionDuration),
    )
    if (!extended) throw new Problem('instance.none')
    return extended
  })
  try {
    await runtime.extend(row.id, row.expiresAt)
  } catch {
    const message = `Instance ${row.id} is extended later`
    recordSystemAction(platformLog, { level: 'Warning', message, status: 'Pending' })
  }
  await notifyTeamsOfInstances(deps, [row.id])
  log(context, 'Extended')
  return present(deps, row)
}

export async function listTeamInstances(
  { db, runtime, players, locks }: Pick<InstanceServiceDeps, 'db' | 'runtime' | 'players' | 'locks'>,
  gameId: number,
  userId: string,
): Promise<TeamInstance[]> {
  const player = await players.get('container', gameId, userId)
  const rows = await createInstanceRepository(db).listOfTeam(player.participation.id)
  const isLocked = await Promise.all(
    rows.map(({ challengeId, unlockRule }) => locks.isLocked(player, { id: challengeId, unlockRule })),
  )
  const open = rows.filter((_, index) => !isLocked[index])
  return open.map((row) => presentTeamInstance(row, runtime.find(row.id)?.state))
}

/** Returns the addresses at which players connect to the team's instance. @throws Problem `instance.none`, … */
export async function listInstanceAccess(
  deps: InstanceServiceDeps,
  gameId: number,
  challengeId: number,
  user: Actor,
  record: Recorder,
): Promise<InstanceAccess[]> {
  const { db } = deps
  const { player, challenge } = await enter(deps, gameId, challengeId, user, record)
  const row = await createInstanceRepository(db).findLive(player.participation.id, challengeId)
  if (!row) throw new Problem('instance.none')
  return presentInstanceAccess(await createInstanceRepository(db).withPorts(row), challenge, deps)
}

export async function listInstances({
  db,
  runtime,
  config,
}: Pick<InstanceDeps, 'db' | 'runtime' | 'config'>): Promise<InstancePage> {
  return presentInstancePage(await createInstanceRepository(db).listOfTeams(), runtime.exposure, config.instances.publicHost)
}

export async function listInstanceStates({ db, runtime }: Pick<InstanceDeps, 'db' | 'runtime'>): Promise<InstanceState[]> {
  const rows = await createInstanceRepository(db).listLiveOfTeams()
  return rows.map((row) => presentInstanceState(row, runtime.find(row.id)?.state))
}

/**
 * Returns the usage of the teams' instances with the limits of their containers. Instances that were not measured are omitted.
 */
export async function listInstanceUsage(
  { db, runtime }: Pick<InstanceDeps, 'db' | 'runtime'>,
  usages: MeasuredUsages | undefined,
): Promise<InstanceUsage[]> {
  if (!usages?.size) return []
  const rows = await createInstanceRepository(db).listLimitsOfTeams()
  return rows.flatMap((row) => {
    const measured = [...(usages.get(row.id)?.values() ?? [])]
    if (measured.length === 0) return []
    const known = (runtime.containers?.find(row.id) ?? []).flatMap(({ limits }) => limits ?? [])
    return [
      {
        id: row.id,
        ...presentUsage(sumResourceAmounts(measured), known.length > 0 ? sumResourceAmounts(known) : resourceLimitsOf(row)),
      },
    ]
  })
}

/** Ends an instance for an admin. @throws Problem `instance.unknown`, `instance.stop-failed` */
export async function destroyInstance(deps: InstanceDeps, id: string, record: Recorder): Promise<void> {
  const { db, runtime, clock, bus } = deps
  const row = await createInstanceRepository(db).find(id)
  if (!row || row.endedAt !== null) throw new Problem('instance.unknown')
  try {
    await runtime.delete(id)
  } catch {
    throw new Problem('instance.stop-failed')
  }
  await createInstanceRepository(db).end(id, clock.now())
  bus.publish({ kind: 'instance-ended', instanceId: id })
  await notifyTeamsOfInstances(deps, [id])
  record(`Destroyed instance ${id} (${row.image})`)
}
