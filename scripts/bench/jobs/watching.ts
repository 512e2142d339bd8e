import { setTimeout as delay } from 'node:timers/promises'
import type { BoardChanges } from '@capstan/contract/board-changes'
import { followBoardChanges } from '@capstan/contract/board-rules'
import { boardVersionHeader } from '@capstan/contract/board-version'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import type { Bench, Job } from '../bench.ts'
import type { LoadRequest } from '../load/order.ts'
import { browserHeaders, faultsOf, kilobytes, readAnswer } from './http.ts'

const mostBytes = 5_000
const changedSeconds = 6
const solvesPerSecond = 10

/** Right flags that nobody has handed in, so many for each second. */
async function openSolves(bench: Bench): Promise<LoadRequest[][]> {
  const { world } = await bench.database()
  const open = world.players.flatMap(({ cookie }, player) =>
    world.challenges.flatMap(({ id }, challenge) =>
      world.hasSolved(player, challenge) || (player + challenge) % 17 !== 0
        ? []
        : [
            {
              method: 'POST' as const,
              path: `/api/game/${world.gameId}/challenges/${id}`,
              headers: { ...browserHeaders, cookie, 'content-type': 'application/json' },
              body: JSON.stringify({ flag: world.flagOf(player, challenge) }),
            },
          ],
    ),
  )
  return Array.from({ length: changedSeconds }, (_, second) =>
    Array.from({ length: solvesPerSecond }, (_, place) => open[(place * changedSeconds + second) * 5]).filter(
      (request) => request !== undefined,
    ),
  )
}

function withoutTime(board: Scoreboard): string {
  return JSON.stringify({ ...board, updateTimeUtc: '' })
}

/** Bytes on the wire that keep a watched board fresh while teams solve, and whether it stays the whole board. */
export const watchingJob: Job = {
  name: 'watching',
  about: `bytes that keep a read scoreboard of 500 teams and 50 challenges fresh, ${solvesPerSecond} solves a second`,
  shareSeconds: 30,
  async run(bench) {
    const { world } = await bench.database()
    const { port } = await bench.api()
    const replica = await bench.startApi(await bench.database())
    const path = `/api/game/${world.gameId}/scoreboard`
    const first = await readAnswer(port, path)
    let board = JSON.parse(first.body) as Scoreboard
    let version = String(first.headers[boardVersionHeader])
    const sizes: number[] = []
    const faults: string[] = []
    // A replica knows the changes since its first board.
    await readAnswer(replica.port, path)
    for (const [second, requests] of (await openSolves(bench)).entries()) {
      const [request] = requests
      if (!request) throw new Error('There is nothing left to solve')
      const answers = await Promise.all(requests.map((one) => fetch(`http://127.0.0.1:${port}${one.path}`, { ...one })))
      const failures = Object.fromEntries(answers.filter(({ ok }) => !ok).map(({ status }) => [status, 1]))
      faults.push(...faultsOf('watching', [{ failures }]))
      // The next board is there within a second and however long it takes to build.
      await delay(2_000)
      const asked = second % 2 === 0 ? port : replica.port
      const { body, wireBytes } = await readAnswer(asked, `${path}/rows?since=${version}`)
      const changes = JSON.parse(body) as BoardChanges
      if (changes.whole || changes.teams.length === 0) faults.push('watching: the changes were not to be had')
      else board = followBoardChanges(board, changes)
      version = changes.version
      sizes.push(wireBytes)
    }
    const whole = await readAnswer(port, path)
    if (withoutTime(JSON.parse(whole.body)) !== withoutTime(board))
      faults.push('watching: board and changes are not the whole board')
    const most = Math.max(...sizes)
    return {
      rows: [
        {
          job: 'watching, bytes a changed second',
          ours: kilobytes(most),
          limit: `${kilobytes(whole.wireBytes)} whole`,
          bar: `<= ${kilobytes(mostBytes)}`,
          isMet: most <= mostBytes,
        },
      ],
      notes: [
        `watching: ${solvesPerSecond} solves in each of ${changedSeconds} seconds, read from two replicas in turn; ${sizes.map(kilobytes).join(', ')}, headers counted.`,
      ],
      faults,
    }
  },
}
