import { type BenchRequest, forEachConcurrently, sendRequest } from '../ask.ts'
import type { Job } from '../bench.ts'
import { createCpuRow, measureCpuOfWork } from '../measure.ts'
import { measureAlternately, summarizeByMedian } from '../statistics.ts'
import { createRowWithMaxRatio, fineMilliseconds } from '../table.ts'
import type { World } from '../world.ts'

const maxWrongMs = 1.1
const maxRightMs = 1.3
const maxGrowth = 1.2
const flagsPerRound = 1_280
const clients = 64

export const job: Job = {
  name: 'flags',
  about: 'wrong and right flags from submission to verdict, at 5,000 and 25,000 solves of 500 teams, by CPU of api and database',
  async run(bench) {
    const api = await bench.api()
    // 500 teams with 10 solves each, and 500 teams with 50 solves each.
    const early = await bench.addGame({ challenges: 100, solvedByTeam: 10 })
    const late = await bench.addGame({ challenges: 100, solvedByTeam: 50 })

    /** Submits a flag and reads its verdict. */
    const judge = (expected: string) => async (submission: BenchRequest) => {
      const id = (await sendRequest(api, submission)).text()
      const verdict = await sendRequest(api, { path: `${submission.path}/status/${id}`, headers: submission.headers ?? {} })
      if (verdict.text() !== `"${expected}"`) throw new Error(`The verdict is ${verdict.text()} instead of ${expected}`)
    }
    const judgeAll = (submissions: readonly BenchRequest[], expected: string) =>
      measureCpuOfWork(api, submissions.length, () => forEachConcurrently(submissions, clients, judge(expected)))
    const guess = () => judgeAll(early.takeGuesses(flagsPerRound), 'WrongAnswer')
    const solve = (world: World) => () => judgeAll(world.takeSolves(flagsPerRound), 'Accepted')

    const wrong = await measureAlternately(2, guess, guess)
    const right = await measureAlternately(3, solve(early), solve(late))
    // Request both boards, so that the api rebuilds them every second during the next measurement.
    for (const { boardPath } of [early, late]) await sendRequest(api, { path: boardPath })
    const watched = await measureAlternately(1, solve(early), solve(late))
    const growth = summarizeByMedian({ ours: right.limit, limit: right.ours }, ({ cpuMs }) => cpuMs)
    return [
      createCpuRow('wrong flag until judged', [...wrong.ours, ...wrong.limit], maxWrongMs),
      createCpuRow('right flag until judged, 5,000 solves', right.ours, maxRightMs),
      createCpuRow('right flag until judged, 25,000 solves', right.limit, maxRightMs),
      createRowWithMaxRatio('right flag, 25,000 beside 5,000 solves', growth, maxGrowth, fineMilliseconds),
      createCpuRow('the same, watched, 5,000 solves', watched.ours),
      createCpuRow('the same, watched, 25,000 solves', watched.limit),
    ]
  },
}
