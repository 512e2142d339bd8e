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
import { type PhaseCall, refusePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { AnswerResult, CheatRecord, Submission } from '@capstan/contract/submissions'
import { createGameService, type GameRow, timesOf } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { type ConnectionFilter, connectionRepository } from './connection-repository.ts'
import { feedRepository, type Paged } from './feed-repository.ts'
import {
  presentCheat,
  presentCheatPair,
  presentConnection,
  presentEvent,
  presentFoundEvent,
  presentFoundSubmission,
  presentSubmission,
} from './presenter.ts'
import { monitorRepository } from './repository.ts'
import type { Page, SubmissionRow } from './shown-repository.ts'

export type { SubmissionRow } from './shown-repository.ts'

/**
 * Lists for monitors. All of them answer 400 before the start of the game.
 * Rules: docs/contract/games-and-joining.md#phases, docs/contract/scoreboard-and-events.md#events.
 */
export function createMonitorService(deps: InstanceDeps) {
  const games = createGameService(deps)
  const repository = monitorRepository(deps.db)
  const feeds = feedRepository(deps.db)
  const service = {
    /** @throws Problem `game.unknown`, `game.before-start` */
    async getStartedGame(gameId: number, call: PhaseCall): Promise<GameRow> {
      const game = await games.get(gameId)
      const refusal = refusePhase(call, timesOf(game), deps.clock.now())
      if (refusal) throw new Problem(refusal)
      return game
    },
    async listEvents(gameId: number, filter: Page & { hideContainer: boolean }): Promise<GameEvent[]> {
      await service.getStartedGame(gameId, 'events')
      return (await repository.listEvents(gameId, filter)).map(presentEvent)
    },
    async listSubmissions(gameId: number, type: AnswerResult | undefined, page: Page): Promise<Submission[]> {
      await service.getStartedGame(gameId, 'submissions')
      return (await repository.listSubmissions(gameId, { type, page })).map(presentSubmission)
    },
    async listCheats(gameId: number): Promise<CheatRecord[]> {
      await service.getStartedGame(gameId, 'cheatInfo')
      return (await repository.listCheats(gameId)).map(presentCheat)
    },
    async findSubmissions(gameId: number, filter: Paged<SubmissionFilter>): Promise<MonitoredSubmissionPage> {
      await service.getStartedGame(gameId, 'submissions')
      const { rows, total } = await feeds.findSubmissions(gameId, filter)
      return { data: rows.map(presentFoundSubmission), total }
    },
    async findEvents(gameId: number, filter: Paged<EventFilter>): Promise<MonitoredEventPage> {
      await service.getStartedGame(gameId, 'events')
      const { rows, total } = await feeds.findEvents(gameId, filter)
      return { data: rows.map(presentFoundEvent), total }
    },
    async findCheats(gameId: number, filter: Paged<CheatFilter>): Promise<CheatPairPage> {
      await service.getStartedGame(gameId, 'cheatInfo')
      const { rows, total } = await feeds.findCheatPairs(gameId, filter)
      return { data: rows.flatMap((row) => presentCheatPair(row) ?? []), total }
    },
    async listTeams(gameId: number): Promise<MonitoredTeam[]> {
      await games.get(gameId)
      return feeds.listTeams(gameId)
    },
    /** Lists connections through the proxy in any phase, as for captures. */
    async listConnections(gameId: number, filter: ConnectionFilter): Promise<ProxiedConnection[]> {
      return (await connectionRepository(deps.db).list(gameId, filter)).map(presentConnection)
    },
    /** Reads every submission after the first `skip` in pages, newest first. The caller checks the phase. */
    async *eachSubmission(gameId: number, type?: AnswerResult, skip = 0): AsyncGenerator<SubmissionRow[]> {
      let page = await repository.listSubmissions(gameId, { type, page: { count: PageLimits.most, skip } })
      for (let last = page.at(-1); last; last = page.at(-1)) {
        yield page
        page = await repository.listSubmissions(gameId, { type, before: last.id, page: { count: PageLimits.most, skip: 0 } })
      }
    },
  }
  return service
}
