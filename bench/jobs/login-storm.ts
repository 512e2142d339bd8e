import { setTimeout as delay } from 'node:timers/promises'
import type { Job } from '../bench.ts'
import { browserHeaders, faultsOf, type LoadReport, type LoadRequest, load, mergeReports, pace } from '../load.ts'
import { quantile } from '../statistics.ts'
import { atLeast, atMost, count, milliseconds, ratioAtMost } from '../table.ts'
import { playerName } from '../world.ts'

const logins = 1_000
const addresses = 250
/** Groups arrive one after another, faster than the api can check their passwords. */
const groups = 20
const arrivalMs = 10_000
const maxSeconds = 60
const maxRatio = 3
/** Other players. They need less than the machine can serve, so that a queue is the effect of the storm. */
const readsPerSecond = 200
const flagsPerSecond = 100
const quietSeconds = 8
const stormSeconds = 14

export const loginStormJob: Job = {
  name: 'login-storm',
  about: '1,000 logins within ten seconds from 250 addresses, while other players read the board and submit flags',
  async run(bench) {
    const { sql } = await bench.database()
    const api = await bench.api()
    const world = await bench.addGame({ challenges: 50, solvedByTeam: 16 })
    const password = 'Capstan1'
    const account = { userName: 'storm', email: 'storm@example.org', password }
    await load({ port: api.port, requests: [{ method: 'POST', path: '/api/account/register', body: JSON.stringify(account) }] })
    await sql`update users set password_hash = (select password_hash from users where user_name = 'storm')`
    const entries = Array.from({ length: logins }, (_, index): LoadRequest => {
      const body = JSON.stringify({ userName: playerName(index % world.size.teams), password })
      return { method: 'POST', path: '/api/account/login', headers: { 'x-forwarded-for': `198.18.${index % addresses}.7` }, body }
    })
    const boards: LoadRequest[] = [{ path: `/api/game/${world.gameId}/scoreboard`, headers: browserHeaders }]
    let serial = 0
    const guesses = (seconds: number) =>
      Array.from({ length: flagsPerSecond * seconds }, (): LoadRequest => {
        serial += 1
        const body = JSON.stringify({ flag: `flag{in-the-storm-${serial}}` })
        const headers = { cookie: world.cookie(serial % world.size.teams) }
        return { method: 'POST', path: world.path(serial % world.size.challenges), headers, body }
      })
    const play = (seconds: number) =>
      Promise.all([
        pace({ port: api.port, requests: boards, perSecond: readsPerSecond }, seconds),
        pace({ port: api.port, requests: guesses(seconds), perSecond: flagsPerSecond }, seconds),
      ])
    const logInAll = async () => {
      const startedAtMs = performance.now()
      const arrivals = Array.from({ length: groups }, async (_, group) => {
        await delay((group * arrivalMs) / groups)
        return load({ port: api.port, clients: logins, requests: entries.filter((__, index) => index % groups === group) })
      })
      return { ...mergeReports(await Promise.all(arrivals)), elapsedMs: performance.now() - startedAtMs }
    }
    await play(2)
    const before = await play(quietSeconds)
    const [storm, during] = await Promise.all([logInAll(), play(stormSeconds)])
    const after = await play(quietSeconds)
    const p99 = (report: LoadReport | undefined) => quantile(report?.latenciesMs ?? [], 0.99)
    const row = (job: string, place: number) => {
      const [ours, limit] = [p99(during[place]), (p99(before[place]) + p99(after[place])) / 2]
      return ratioAtMost(job, { ours, limit, ratio: ours / limit, added: ours - limit }, maxRatio, milliseconds)
    }
    return {
      rows: [
        atLeast('login storm, logged in of 1,000', storm.answered, logins, count),
        atMost('login storm, the last of 1,000', storm.elapsedMs, maxSeconds * 1000, milliseconds),
        row('login storm, p99 of the board', 0),
        row('login storm, p99 of flags', 1),
      ],
      notes: [
        `login-storm: half of the logins took ${milliseconds(quantile(storm.latenciesMs, 0.5))}; limit: the same players without the storm.`,
      ],
      faults: faultsOf('login-storm', [storm, ...before, ...during, ...after]),
    }
  },
}
