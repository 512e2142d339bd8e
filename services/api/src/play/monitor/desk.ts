import type { DeskBlood, DeskFailure, DeskMinute, GameDesk } from '@capstan/contract/desk'
import type { GameNotice } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { findCertificate } from '../../games/certificates/service.ts'
import { getGame } from '../../games/editing/service.ts'
import { listBloodNotices } from '../../games/notices/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import type { InstanceRuntime, ObservedState } from '../../instances/lifecycle/runtime.ts'
import type { ChangeFeed } from '../../server/changes/feed.ts'
import type { ScoreboardService } from '../scoreboard/service.ts'
import { stateKindOfInstance, summarizeHealthByChallenge } from './challenge-health.ts'
import { createDeskInsightRepository } from './desk-insight-repository.ts'
import { type DeskInsights, readDeskInsights } from './desk-insights.ts'
import { createDeskRepository, type FailedRow, type LiveRow } from './desk-repository.ts'
import type { GatewayClients } from './gateway-clients.ts'

const minuteMs = 60_000
const minuteCount = 60
const lifetimeMs = 3_000
/**
 * Lifetime of cached figures about the last hour, in ms. It is longer than `lifetimeMs`, because these figures change slowly and
 * take longer to read.
 */
const insightLifetimeMs = 15_000

type Failed = Extract<ObservedState, { kind: 'failed' }>

export function groupFiguresByMinute(
  ...parts: readonly (readonly ({ readonly minute: number } & Partial<DeskMinute>)[])[]
): DeskMinute[] {
  const minutes = Array.from({ length: minuteCount }, () => ({ submissions: 0, accepted: 0, starts: 0 }))
  for (const { minute, ...figures } of parts.flat()) {
    // A row of a future minute comes from a process whose clock is ahead. Count the row for the current minute.
    const place = Math.min(minute, minuteCount - 1)
    minutes[place] = { submissions: 0, accepted: 0, starts: 0, ...minutes[place], ...figures }
  }
  return minutes
}

/** Counts live instances by observed state, or by the status of their row if no state was observed. */
export function countInstancesByState(rows: readonly LiveRow[], stateOf: (id: string) => ObservedState | undefined) {
  const counts = { running: 0, starting: 0, failing: 0, tests: 0 }
  for (const row of rows) {
    const kind = stateKindOfInstance(row, stateOf(row.id))
    if (row.participationId === null) counts.tests += 1
    else counts[kind === 'ready' ? 'running' : kind === 'failed' ? 'failing' : 'starting'] += 1
  }
  return counts
}

/** Merges failures of live instances and of instances that ended in the last hour. The most frequent failure is first. */
export function mergeInstanceFailures(
  ended: readonly FailedRow[],
  failing: readonly Readonly<{ row: LiveRow; state: Failed }>[],
  now: Date,
): DeskFailure[] {
  const keyOf = ({ challengeId, image }: { challengeId: number; image: string }) => `${challengeId} ${image}`
  const gathered = new Map(ended.map((row): [string, DeskFailure] => [keyOf(row), { ...row, lastAt: row.lastAt.toISOString() }]))
  for (const { row, state } of failing) {
    const { challengeId, challenge, image } = row
    const count = (gathered.get(keyOf(row))?.count ?? 0) + 1
    const lastAt = now.toISOString()
    gathered.set(keyOf(row), { challengeId, challenge, image, count, lastAt, reason: state.message, reasonCode: state.reason })
  }
  return [...gathered.values()].sort((one, other) => other.count - one.count).slice(0, Limits.deskFailures)
}

function presentBlood({ time, type, values }: GameNotice): DeskBlood {
  return {
    time,
    type: type as DeskBlood['type'],
    team: values[0] ?? '',
    challenge: values[1] ?? '',
  }
}

function liveStates(rows: readonly LiveRow[], runtime: InstanceRuntime) {
  return new Map(rows.map(({ id }) => [id, runtime.find(id)?.state] as const))
}

/** True if a change may affect names, teams or challenges in the figures. */
function isShownChange(change: string): boolean {
  return /^(?:team|challenge|participation) /.test(change)
}

/**
 * Caches the result of `read` by game, so that concurrent callers share one read. Failures are not cached. If a team or challenge
 * changes, the cache is cleared.
 */
function createGameCache<Value>(
  { clock, changes }: Pick<DeskDeps, 'clock' | 'changes'>,
  lifetimeMs: number,
  read: (gameId: number) => Promise<Value>,
) {
  const known = new Map<number, Readonly<{ until: number; value: Promise<Value> }>>()
  changes.listen((keys) => {
    if (!keys || keys.some(isShownChange)) known.clear()
  })
  return (gameId: number): Promise<Value> => {
    const now = clock.now().getTime()
    for (const [id, { until }] of known) if (until <= now) known.delete(id)
    const cached = known.get(gameId)
    if (cached) return cached.value
    const value = read(gameId)
    known.set(gameId, { until: now + lifetimeMs, value })
    value.catch(() => known.delete(gameId))
    return value
  }
}

type DeskDeps = InstanceDeps &
  Readonly<{
    changes: ChangeFeed
    scoreboards: ScoreboardService
  }>

/** Creates the service that returns the figures of a game for monitors. Figures are cached for some seconds. */
export function createDeskService(deps: DeskDeps, clients: GatewayClients) {
  const { clock, runtime, scoreboards } = deps
  const repository = createDeskRepository(deps.db)
  const hourBefore = (now: Date) => new Date(now.getTime() - minuteCount * minuteMs)

  const findInsights = createGameCache(deps, insightLifetimeMs, async (gameId): Promise<DeskInsights> => {
    const board = await scoreboards.read(gameId, 'live')
    if (!board) throw new Problem('game.unknown')
    return readDeskInsights(createDeskInsightRepository(deps.db), gameId, board, hourBefore(clock.now()))
  })

  const findDesk = createGameCache(deps, lifetimeMs, async (gameId): Promise<GameDesk> => {
    await getGame(deps, gameId)
    const now = clock.now()
    const since = hourBefore(now)
    const [submitted, started, live, failed, review, cheats, bloods, proxied, certificate, insights] = await Promise.all([
      repository.countSubmissions(gameId, since),
      repository.countStarts(gameId, since),
      repository.listLive(gameId),
      repository.listFailed(gameId, since),
      repository.countWaiting(gameId),
      repository.countCheats(gameId, since),
      listBloodNotices(deps, gameId, Limits.deskBloods),
      repository.countProxied(gameId),
      findCertificate(deps.db, gameId),
      findInsights(gameId),
    ])
    const states = liveStates(live, runtime)
    const failing = live.flatMap((row) => {
      const state = states.get(row.id)
      return state?.kind === 'failed' ? [{ row, state }] : []
    })
    return {
      time: now.toISOString(),
      minutes: groupFiguresByMinute(submitted, started),
      instances: countInstancesByState(live, (id) => states.get(id)),
      failures: mergeInstanceFailures(failed, failing, now),
      review: { waiting: review.waiting, since: review.since?.toISOString() ?? null },
      cheats,
      bloods: bloods.map(presentBlood),
      ...insights,
      // The title is empty if an organizer has stored pictures but no template.
      hasCertificates: (certificate?.title ?? '') !== '',
      connections: { ...clients.count(gameId), proxied },
    }
  })

  const findHealth = createGameCache(deps, lifetimeMs, async (gameId) => {
    const [live, failed, ready] = await Promise.all([
      repository.listLive(gameId),
      repository.listFailed(gameId, hourBefore(clock.now())),
      repository.listLastReady(gameId),
    ])
    const states = liveStates(live, runtime)
    return summarizeHealthByChallenge({ live, failed, ready, stateOf: (id) => states.get(id) })
  })

  return {
    findHealth,
    /** @throws Problem `game.unknown` */
    get: (gameId: number): Promise<GameDesk> => findDesk(gameId),
  }
}
