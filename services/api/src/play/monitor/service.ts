// Lists that monitors read. Before the start of the game, requests for events, submissions and cheats are refused with 400.
// Rules: docs/contract/games-and-joining.md#phases, docs/contract/scoreboard-and-events.md#events.
import type { ProxiedConnection } from '@capstan/contract/captures'
import type { GameEvent } from '@capstan/contract/games'
import { PageLimits } from '@capstan/contract/limits'
import type {
  CheatFilter,
  CheatPairPage,
  EventFilter,
  MonitoredEventPage,
  MonitoredSubmissionPage,
  MonitoredTeam,
  SubmissionFilter,
} from '@capstan/contract/monitor'
import { type PhaseCall, refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { AnswerResult, CheatRecord, Submission } from '@capstan/contract/submissions'
import { type GameRow, getGame, timesOfGame } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { type ConnectionFilter, createConnectionRepository } from './connection-repository.ts'
import { createFeedRepository, type Paged } from './feed-repository.ts'
import {
  presentCheat,
  presentCheatPair,
  presentConnection,
  presentEvent,
  presentMonitoredEvent,
  presentMonitoredSubmission,
  presentSubmission,
} from './presenter.ts'
import { createMonitorRepository } from './repository.ts'
import type { Page, SubmissionRow } from './shown-repository.ts'

export type { SubmissionRow } from './shown-repository.ts'

/** @throws Problem `game.unknown`, `game.before-start` */
export async function getStartedGame(deps: InstanceDeps, gameId: number, call: PhaseCall): Promise<GameRow> {
  const game = await getGame(deps, gameId)
  const refusal = refuseOutsidePhase(call, timesOfGame(game), deps.clock.now())
  if (refusal) throw new Problem(refusal)
  return game
}

export async function listGameEvents(
  deps: InstanceDeps,
  gameId: number,
  filter: Page & { hideContainer: boolean },
): Promise<GameEvent[]> {
  const repository = createMonitorRepository(deps.db)
  await getStartedGame(deps, gameId, 'events')
  return (await repository.listEvents(gameId, filter)).map(presentEvent)
}

export async function listSubmissions(
  deps: InstanceDeps,
  gameId: number,
  type: AnswerResult | undefined,
  page: Page,
): Promise<Submission[]> {
  const repository = createMonitorRepository(deps.db)
  await getStartedGame(deps, gameId, 'submissions')
  return (await repository.listSubmissions(gameId, { type, page })).map(presentSubmission)
}

export async function listCheats(deps: InstanceDeps, gameId: number): Promise<CheatRecord[]> {
  const repository = createMonitorRepository(deps.db)
  await getStartedGame(deps, gameId, 'cheatInfo')
  return (await repository.listCheats(gameId)).map(presentCheat)
}

export async function findSubmissions(
  deps: InstanceDeps,
  gameId: number,
  filter: Paged<SubmissionFilter>,
): Promise<MonitoredSubmissionPage> {
  const feeds = createFeedRepository(deps.db)
  await getStartedGame(deps, gameId, 'submissions')
  const { rows, total } = await feeds.findSubmissions(gameId, filter)
  return { data: rows.map(presentMonitoredSubmission), total }
}

export async function findGameEvents(
  deps: InstanceDeps,
  gameId: number,
  filter: Paged<EventFilter>,
): Promise<MonitoredEventPage> {
  const feeds = createFeedRepository(deps.db)
  await getStartedGame(deps, gameId, 'events')
  const { rows, total } = await feeds.findEvents(gameId, filter)
  return { data: rows.map(presentMonitoredEvent), total }
}

export async function findCheats(deps: InstanceDeps, gameId: number, filter: Paged<CheatFilter>): Promise<CheatPairPage> {
  const feeds = createFeedRepository(deps.db)
  await getStartedGame(deps, gameId, 'cheatInfo')
  const { rows, total } = await feeds.findCheatPairs(gameId, filter)
  return { data: rows.flatMap((row) => presentCheatPair(row) ?? []), total }
}

export async function listMonitoredTeams(deps: InstanceDeps, gameId: number): Promise<MonitoredTeam[]> {
  const feeds = createFeedRepository(deps.db)
  await getGame(deps, gameId)
  return feeds.listTeams(gameId)
}

/** Lists connections through the proxy. Works in any phase of the game, like the lists of traffic captures. */
export async function listConnections(
  deps: InstanceDeps,
  gameId: number,
  filter: ConnectionFilter,
): Promise<ProxiedConnection[]> {
  return (await createConnectionRepository(deps.db).list(gameId, filter)).map(presentConnection)
}

/** Function that calls `read` to read a page of a long list. The function may wait before this call. */
export type ReadPage = <Page>(read: () => Promise<Page>) => Promise<Page>

type AllSubmissions = Readonly<{
  type?: AnswerResult | undefined
  /** Number of newest submissions to omit. */
  skip?: number
  /** Default: each page is read at once. */
  readPage?: ReadPage
}>

/** Reads all submissions in pages, newest first. The caller must check the phase. */
export async function* readSubmissionPages(
  deps: InstanceDeps,
  gameId: number,
  { type, skip = 0, readPage = (read) => read() }: AllSubmissions = {},
): AsyncGenerator<SubmissionRow[]> {
  const repository = createMonitorRepository(deps.db)
  let page = await readPage(() => repository.listSubmissions(gameId, { type, page: { count: PageLimits.max, skip } }))
  for (let last = page.at(-1); last; last = page.at(-1)) {
    yield page
    if (page.length < PageLimits.max) return
    const before = last.id
    page = await readPage(() => repository.listSubmissions(gameId, { type, before, page: { count: PageLimits.max, skip: 0 } }))
  }
}
