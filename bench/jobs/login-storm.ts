import { type BenchRequest, sendAtSteadyRate, sendRequest } from '../ask.ts'
import type { Job } from '../bench.ts'
import { compareFigures, quantileOf } from '../statistics.ts'
import { createRowWithMaximum, createRowWithMaxRatio, milliseconds } from '../table.ts'
import { playerName } from '../world.ts'

const logins = 1_000
const addresses = 250
/** Rate of logins. It exceeds the rate at which the api can check passwords. */
const loginsPerSecond = 100
const maxSeconds = 60
const maxRatio = 3
/** Rate of calls by other players. It is so low that only the logins can cause a queue. */
const readsPerSecond = 200
const flagsPerSecond = 100
const quietSeconds = 8
const stormSeconds = 14
const password = 'Capstan1'

export const job: Job = {
  name: 'login-storm',
  about: '1,000 logins within ten seconds from 250 addresses, while other players read the board and submit flags',
  async run(bench) {
    const [api, { sql }, world] = [await bench.api(), await bench.database(), await bench.addGame()]
    const account = { userName: 'storm', email: 'storm@example.org', password }
    await sendRequest(api, { method: 'POST', path: '/api/account/register', body: JSON.stringify(account) })
    await sql`update users set password_hash = (select password_hash from users where user_name = 'storm')`
    const entries = Array.from({ length: logins }, (_, index): BenchRequest => {
      const body = JSON.stringify({ userName: playerName(index % world.size.teams), password })
      return { method: 'POST', path: '/api/account/login', headers: { 'x-forwarded-for': `198.18.${index % addresses}.7` }, body }
    })
    /** Returns the 99th percentiles of the latencies of board reads and of flag submissions, in ms. */
    const play = async (seconds: number) => {
      const boards = Array.from({ length: readsPerSecond * seconds }, () => ({ path: world.boardPath }))
      const [reads, flags] = await Promise.all([
        sendAtSteadyRate(api, boards, readsPerSecond),
        sendAtSteadyRate(api, world.takeGuesses(flagsPerSecond * seconds), flagsPerSecond),
      ])
      return { board: quantileOf(reads, 0.99), flags: quantileOf(flags, 0.99) }
    }
    await play(2)
    const before = await play(quietSeconds)
    const startedAtMs = performance.now()
    const storm = sendAtSteadyRate(api, entries, loginsPerSecond).then(() => performance.now() - startedAtMs)
    const [during, elapsedMs] = await Promise.all([play(stormSeconds), storm])
    const after = await play(quietSeconds)
    const beside = (kind: 'board' | 'flags') => compareFigures(during[kind], (before[kind] + after[kind]) / 2)
    return [
      createRowWithMaximum('login storm, the last of 1,000', elapsedMs, maxSeconds * 1000, milliseconds),
      createRowWithMaxRatio('login storm, p99 of the board', beside('board'), maxRatio, milliseconds),
      createRowWithMaxRatio('login storm, p99 of flags', beside('flags'), maxRatio, milliseconds),
    ]
  },
}
