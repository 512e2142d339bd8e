// CTFtime's scoreboard feed. Rules: docs/contract/scoreboard-and-events.md#ctftime.

import { noSubmissionTime } from '@capstan/contract/board-rules'
import type { CtftimeFeed } from '@capstan/contract/ctftime'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { ReadyAnswer } from '../../server/http/ready-answer.ts'
import type { Board } from './board.ts'
import { eachStanding } from './board-rows.ts'

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}

/** Returns a unique name for each challenge, because CTFtime identifies tasks by name. */
function nameTasks(challenges: Board['challenges']): Map<number, string> {
  const names = new Map<number, string>()
  const used = new Set<string>()
  for (const { id, title } of Object.values(challenges).flat()) {
    let name = title
    for (let number = 2; used.has(name); number++) name = `${title} (${number})`
    used.add(name)
    names.set(id, name)
  }
  return names
}

function standingOf(team: ScoreboardTeam, tasks: ReadonlyMap<number, string>): CtftimeFeed['standings'][number] {
  return {
    pos: team.rank,
    id: team.id,
    team: team.name,
    score: team.score,
    // A title such as `__proto__` needs `fromEntries`, which always defines an own property.
    taskStats: Object.fromEntries(
      team.solvedChallenges.map(({ id, score, time }) => [tasks.get(id) ?? String(id), { points: score, time: secondsOf(time) }]),
    ),
    lastAccept: team.lastSubmissionTime === noSubmissionTime ? 0 : secondsOf(team.lastSubmissionTime),
  }
}

async function writeFeed(board: Board): Promise<ReadyAnswer> {
  const tasks = nameTasks(board.challenges)
  const standings: string[] = []
  for await (const team of eachStanding(board)) if (team.rank > 0) standings.push(JSON.stringify(standingOf(team, tasks)))
  return new ReadyAnswer(`{"tasks":${JSON.stringify([...tasks.values()])},"standings":[${standings.join(',')}]}`)
}

/** Creates a cache of feeds. Each board is serialized only once. For each game, only one board is serialized at a time. */
export function createCtftimeFeeds() {
  /** Feed of each board. The cache does not prevent garbage collection of a board. */
  const feeds = new WeakMap<ReadyAnswer, Promise<ReadyAnswer>>()
  /** Unfinished feed of each game. */
  const unfinished = new Map<number, Promise<ReadyAnswer>>()
  return {
    /** Returns the feed of a board. While the feed of an earlier board of the game is unfinished, returns that feed. */
    of(gameId: number, board: Board): Promise<ReadyAnswer> {
      const known = feeds.get(board.answer) ?? unfinished.get(gameId)
      if (known) return known
      const feed = writeFeed(board).finally(() => unfinished.delete(gameId))
      feeds.set(board.answer, feed)
      feed.catch(() => feeds.delete(board.answer))
      unfinished.set(gameId, feed)
      return feed
    },
  }
}
