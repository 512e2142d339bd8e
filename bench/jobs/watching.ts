import { setTimeout as delay } from 'node:timers/promises'
import type { BoardChanges } from '@capstan/contract/board-changes'
import { applyBoardChanges } from '@capstan/contract/board-rules'
import { boardVersionHeader } from '@capstan/contract/board-version'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { sendRequest } from '../ask.ts'
import type { Job } from '../bench.ts'
import { sendLoad } from '../load.ts'
import { createRowWithMaximum, kilobytes } from '../table.ts'

const maxBytes = 5_000
const changedSeconds = 6
const solvesPerSecond = 10
/** Time after which the board includes a change, in ms. The api builds each board one second after the previous board. */
const rebuiltAfterMs = 2_500

function withoutTime(board: Scoreboard): string {
  return JSON.stringify({ ...board, updateTimeUtc: '' })
}

export const job: Job = {
  name: 'watching',
  about: `bytes that update a watched scoreboard with ${solvesPerSecond} solves a second, from two replicas in turn`,
  async run(bench) {
    const { boardPath, takeSolves } = await bench.addGame()
    const [api, replica] = [await bench.api(), await bench.startApi(await bench.database())]
    const first = await sendRequest(api, { path: boardPath })
    // Request the board once from the replica. A replica records the changes of a board only after the first request for it.
    await sendRequest(replica, { path: boardPath })
    let board = JSON.parse(first.text()) as Scoreboard
    let version = first.headers[boardVersionHeader]
    const sizes: number[] = []
    for (let second = 0; second < changedSeconds; second += 1) {
      await sendLoad(api, { requests: takeSolves(solvesPerSecond) })
      await delay(rebuiltAfterMs)
      const answer = await sendRequest(second % 2 === 0 ? api : replica, { path: `${boardPath}/rows?since=${version}` })
      const changes = JSON.parse(answer.text()) as BoardChanges
      if (changes.whole || changes.version === version) throw new Error(`Second ${second} brought no changes`)
      board = applyBoardChanges(board, changes)
      version = changes.version
      sizes.push(answer.bytes.length)
    }
    const whole = await sendRequest(api, { path: boardPath })
    if (withoutTime(JSON.parse(whole.text())) !== withoutTime(board))
      throw new Error('The updated board differs from the whole board')
    await replica.stop()
    const limit = `${kilobytes(whole.bytes.length)} whole`
    return [createRowWithMaximum('watching, bytes for a changed second', Math.max(...sizes), maxBytes, kilobytes, { limit })]
  },
}
