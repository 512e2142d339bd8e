import { setTimeout as delay } from 'node:timers/promises'
import type { BoardChanges } from '@capstan/contract/board-changes'
import { followBoardChanges } from '@capstan/contract/board-rules'
import { boardVersionHeader } from '@capstan/contract/board-version'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { ask, cpuEachMs, cpuText, type Job, measure, type Target } from '../bench.ts'
import { browserHeaders, faultsOf, load, ratePerSecond } from '../load.ts'
import { alternate, quantile, summarize } from '../statistics.ts'
import { atMost, kilobytes, milliseconds, perSecond, ratioAtLeast } from '../table.ts'

/** Headers that belong to the bytes of an answer. */
const contentHeaders = ['content-type', 'content-encoding', 'etag', 'cache-control', 'vary']
const minRatio = 0.75
const readsPerRound = 8_000

export const boardJob: Job = {
  name: 'board',
  about: 'reads of a scoreboard of 500 teams and 50 challenges, compared with a bare Fastify route that sends the same bytes',
  async run(bench) {
    const { gameId } = await bench.addGame({ challenges: 50, solvedByTeam: 16 })
    const api = await bench.api()
    const path = `/api/game/${gameId}/scoreboard`
    const { headers, bytes } = await ask(api, path)
    const sent = contentHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
    const bare = await bench.startBare({ headers: Object.fromEntries(sent), bytes })
    const read = (target: Target) => () =>
      measure(target, { requests: [{ path, headers: browserHeaders }], amount: readsPerRound })
    const reads = await alternate(bench.rounds, read(api), read(bare))
    // Answers per second of CPU, because the generator shares the machine.
    const byCpu = summarize(reads, (report) => 1000 / cpuEachMs([report]))
    const rate = summarize(reads, ratePerSecond)
    const p99 = summarize(reads, ({ latenciesMs }) => quantile(latenciesMs, 0.99))
    return {
      rows: [
        { ...ratioAtLeast('scoreboard read, by CPU of the server', byCpu, minRatio, perSecond), cpu: cpuText(reads.ours) },
        { job: 'scoreboard read', ours: perSecond(rate.ours), limit: perSecond(rate.limit), ratio: rate.ratio },
      ],
      notes: [
        `board: ${kilobytes(bytes.length)} of ${headers['content-encoding'] ?? 'plain'} JSON, p99 ${milliseconds(p99.ours)}, bare ${milliseconds(p99.limit)}.`,
      ],
      faults: faultsOf('board', [...reads.ours, ...reads.limit]),
    }
  },
}

const maxBytes = 5_000
const changedSeconds = 6
const solvesPerSecond = 10
/** The next board follows one second after the last build. */
const rebuiltAfterMs = 2_500

const withoutTime = (board: Scoreboard): string => JSON.stringify({ ...board, updateTimeUtc: '' })

export const watchingJob: Job = {
  name: 'watching',
  about: `bytes that update a watched scoreboard with ${solvesPerSecond} solves a second, from two replicas in turn`,
  async run(bench) {
    const world = await bench.addGame({ challenges: 50, solvedByTeam: 16 })
    const [api, replica] = [await bench.api(), await bench.startApi(await bench.database())]
    const path = `/api/game/${world.gameId}/scoreboard`
    const first = await ask(api, path)
    // A replica knows the changes since its first board.
    await ask(replica, path)
    let board = JSON.parse(first.text) as Scoreboard
    let version = first.headers[boardVersionHeader]
    const [sizes, faults]: [number[], string[]] = [[], []]
    for (let second = 0; second < changedSeconds; second += 1) {
      const requests = world.unsolved(second * solvesPerSecond, solvesPerSecond).map(({ team, challenge }) => ({
        method: 'POST' as const,
        path: world.path(challenge),
        headers: { cookie: world.cookie(team) },
        body: JSON.stringify({ flag: world.flag(challenge) }),
      }))
      faults.push(...faultsOf('watching', [await load({ port: api.port, requests })]))
      await delay(rebuiltAfterMs)
      const { text, wireBytes } = await ask(second % 2 === 0 ? api : replica, `${path}/${changesCall}?since=${version}`)
      const changes = JSON.parse(text) as BoardChanges
      if (changes.whole || changes.version === version) faults.push(`watching: second ${second} brought no changes`)
      else board = followBoardChanges(board, changes)
      version = changes.version
      sizes.push(wireBytes)
    }
    const whole = await ask(api, path)
    if (withoutTime(JSON.parse(whole.text)) !== withoutTime(board))
      faults.push('watching: the updated board differs from the whole board')
    await replica.stop()
    const limit = `${kilobytes(whole.wireBytes)} whole`
    return {
      rows: [atMost('watching, bytes for a changed second', Math.max(...sizes), maxBytes, kilobytes, { limit })],
      notes: [`watching: ${sizes.map(kilobytes).join(', ')} with headers.`],
      faults,
    }
  },
}

/** Name of the call that returns the changed rows of a scoreboard. */
export const changesCall = 'rows'
