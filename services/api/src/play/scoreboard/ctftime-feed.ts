// CTFtime's scoreboard feed. Rules: docs/contract/scoreboard-and-events.md#ctftime.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { noSubmissionTime } from '@capstan/contract/board-rules'
import type { CtftimeFeed } from '@capstan/contract/ctftime'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { ReadyAnswer } from '../../server/http/ready-answer.ts'
import type { Board } from './board.ts'

/** Number of teams that are serialized before other requests are processed. */
const teamsPerTurn = 200

/** Cached feed of each board. The cache does not prevent garbage collection of a board. */
const feeds = new WeakMap<ReadyAnswer, Promise<ReadyAnswer>>()

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
  for (let skip = 0; skip < board.teamCount; skip += teamsPerTurn) {
    for (const team of board.leaders(teamsPerTurn, skip))
      if (team.rank > 0) standings.push(JSON.stringify(standingOf(team, tasks)))
    await nextTurn()
  }
  return new ReadyAnswer(`{"tasks":${JSON.stringify([...tasks.values()])},"standings":[${standings.join(',')}]}`)
}

/** Returns the feed of a board. The feed is serialized only once for each board. */
export function ctftimeFeedOf(board: Board): Promise<ReadyAnswer> {
  const known = feeds.get(board.answer)
  if (known) return known
  const feed = writeFeed(board)
  feeds.set(board.answer, feed)
  return feed
}
