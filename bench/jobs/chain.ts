import { setTimeout as delay } from 'node:timers/promises'
import { sendRequest } from '../ask.ts'
import type { Job } from '../bench.ts'
import { createCpuRow, measureCpuOfLoad } from '../measure.ts'
import { measureAlternately } from '../statistics.ts'
import { kilobytes } from '../table.ts'
import { addGame } from '../world.ts'

/** Size of a game with more than 60,000 score records: 5,000 teams, 55,000 solves and 100 challenges. */
const size = { teams: 5_000, challenges: 100, solvedByTeam: 11 }
const minRecords = 60_000
const maxRepeatedMs = 100
const downloadsPerRound = 10
const maxWaitMs = 10 * 60_000

export const job: Job = {
  name: 'chain',
  about: 'downloads of a public chain of 60,000 score records, by CPU of api and database',
  async run(bench) {
    const database = await bench.openDatabase('chain', size.teams)
    const { sql } = database
    const { boardPath, gameId } = await addGame(sql, size)
    const api = await bench.startApi(database)
    await sql`update users set role = 'Admin' where user_name = 'player0'`
    // The api signs the list of score records, so the game needs keys that the api has created.
    const start = new Date().toISOString()
    const end = new Date(Date.now() + 86_400_000).toISOString()
    await sendRequest(api, {
      ...{ method: 'POST', path: '/api/edit/games', headers: { cookie: 'capstan_session=session-of-player0' } },
      body: JSON.stringify({ title: 'Keys', start, end }),
    })
    await sql`
      update games set public_key = made.public_key, private_key = made.private_key
      from games as made where games.id = ${gameId} and made.title = 'Keys'`
    const path = `${boardPath}/chain`
    const deadlineMs = performance.now() + maxWaitMs
    // The api seals the records once a minute.
    const isSealed = async () =>
      (await sql`select from board_seals where game_id = ${gameId} and sequence >= ${minRecords}`).length > 0
    while (!(await isSealed())) {
      if (performance.now() > deadlineMs) throw new Error('The public chain was not sealed')
      await delay(1_000)
    }
    const first = await measureCpuOfLoad(api, { requests: [{ path }], amount: 1 })
    const download = () => measureCpuOfLoad(api, { requests: [{ path }], amount: downloadsPerRound, clients: 1 })
    const repeated = await measureAlternately(2, download, download)
    return [
      createCpuRow('public chain, first download', [first]),
      createCpuRow('public chain, repeated download', [...repeated.ours, ...repeated.limit], maxRepeatedMs),
      { job: 'public chain of 60,000 records', ours: kilobytes((await sendRequest(api, { path })).bytes.length) },
    ]
  },
}
