import type { RealtimeMessage } from '@capstan/contract/events'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aGame, aParticipation } from '../../testing/organizing-factories.ts'
import { createDatabaseLog } from './database-log.ts'
import { deleteSurplusLines } from './upkeep.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())
beforeEach(() => context.db.execute(sql`delete from logs`))

const silent = { error: () => {} }

test('log lines are stored in batches, and the lines of a level are listed newest first', async () => {
  const log = createDatabaseLog(context.deps, silent, { batchMs: 60_000 })
  log.write({ level: 'Information', name: 'ada', address: '10.1.2.3', message: 'Created team', status: 'Success' })
  log.write({ level: 'Warning', name: 'System', message: 'Strange' })
  await log.close()
  const { client } = await signInAsNewUser(context, 'Admin')
  const all = (await client.get('/api/admin/logs')).json()
  expect(all.map(({ msg }: { msg: string }) => msg)).toEqual(['Strange', 'Created team'])
  expect(all[1]).toMatchObject({ name: 'ada', level: 'Information', ip: '10.1.2.3', status: 'Success' })
  expect((await client.get('/api/admin/logs?level=Warning')).json()).toHaveLength(1)
  expect((await client.get('/api/admin/logs?level=All&count=1&skip=1')).json()[0].msg).toBe('Created team')
})

test('log lines can be sorted by each column and filtered by level', async () => {
  const log = createDatabaseLog(context.deps, silent, { batchMs: 60_000 })
  log.write({ level: 'Warning', name: 'cid', address: '10.0.0.2', message: 'b', status: 'Denied' })
  log.write({ level: 'Fatal', name: 'Ada', message: 'C' })
  log.write({ level: 'Information', name: 'bob', address: '10.0.0.1', message: 'a', status: 'Success' })
  await log.close()
  const { client } = await signInAsNewUser(context, 'Admin')
  const read = async (query: string) => {
    const lines: { msg: string }[] = (await client.get(`/api/admin/logs/list?${query}`)).json()
    return lines.map(({ msg }) => msg).join('')
  }
  expect(await read('')).toBe('aCb')
  expect(await read('descending=false')).toBe('bCa')
  expect(await read('sort=level')).toBe('Cba')
  expect(await read('sort=user&descending=false')).toBe('Cab')
  expect(await read('sort=message&descending=false')).toBe('abC')
  // Lines without an address or result are last, both in ascending and in descending order.
  expect([await read('sort=address'), await read('sort=address&descending=false')]).toEqual(['baC', 'abC'])
  expect([await read('sort=result'), await read('sort=result&descending=false')]).toEqual(['abC', 'baC'])
  expect(await read('sort=user&level=Fatal')).toBe('C')
  expect(await read('sort=user&descending=false&count=1&skip=1')).toBe('a')
  for (const query of ['sort=id', 'sort=time;drop', 'level=All', 'skip=-1'])
    expect((await client.get(`/api/admin/logs/list?${query}`)).statusCode).toBe(400)
})

test('above the limit, the api deletes the oldest log lines of the users with the most lines', async () => {
  await context.sql`insert into logs (level, name, message)
    select 'Information', name, name || place from unnest(array['ada', 'System']) as name, generate_series(1, 3) as place
    union all select 'Information', 'Anonymous', 'refused' || place from generate_series(1, 94) as place`
  const left = async () =>
    (await context.sql`select name, count(*)::int as lines, min(message) as oldest from logs group by name order by name`).map(
      ({ name, lines, oldest }) => [name, lines, oldest],
    )
  const others = [
    ['System', 3, 'System1'],
    ['ada', 3, 'ada1'],
  ]
  await deleteSurplusLines(context.deps, 100)
  expect(await left()).toEqual([['Anonymous', 94, 'refused1'], ...others])
  await deleteSurplusLines(context.deps, 10)
  expect(await left()).toEqual([['Anonymous', 4, 'refused91'], ...others])
})

test('a log line is stored without the characters that the database cannot store', async () => {
  const log = createDatabaseLog(context.deps, silent, { batchMs: 60_000 })
  const messages = ['nul \u0000', 'half a sign \ud800', '"quoted" \\u0000 \u202e👩‍🚀']
  for (const message of messages) log.write({ level: 'Information', name: 'System', message })
  await log.close()
  const stored = await context.db.execute<{ message: string }>(sql`select message from logs order by id`)
  expect(stored.map(({ message }) => message)).toEqual(['nul ', 'half a sign \ufffd', '"quoted" \\u0000 \u202e👩‍🚀'])
})

test('a log line is pushed to listeners before it is stored', async () => {
  const received: RealtimeMessage[] = []
  const published = { ...context.deps.bus, publish: (message: RealtimeMessage) => void received.push(message) }
  const log = createDatabaseLog({ ...context.deps, bus: published }, silent, { batchMs: 60_000 })
  log.write({ level: 'Information', name: 'System', message: 'Now' })
  expect(received).toMatchObject([{ kind: 'log', payload: { msg: 'Now', ip: null, status: null } }])
  await log.close()
})

test('log lines wait while the database is unavailable', async () => {
  let isAway = true
  const execute: typeof context.db.execute = (statement) => {
    if (isAway) throw new Error('connection refused')
    return context.db.execute(statement)
  }
  const db: typeof context.db = Object.create(context.db, { execute: { value: execute } })
  const log = createDatabaseLog({ ...context.deps, db }, silent, { batchMs: 60_000 })
  log.write({ level: 'Error', name: 'System', message: 'kept' })
  await log.flush()
  isAway = false
  await log.close()
  const { client } = await signInAsNewUser(context, 'Admin')
  expect((await client.get('/api/admin/logs')).json()).toHaveLength(1)
})

test('logs changes by admins with names instead of ids', async () => {
  const { client } = await signInAsNewUser(context, 'Admin')
  const { user } = await signInAsNewUser(context)
  const game = await aGame(context.db, { title: 'Regatta', divisions: [{ name: 'Open' }] })
  const team = await aTeam(context.db, { name: 'Reds', captainId: user.id })
  const participation = await aParticipation(context.db, { gameId: game.id, teamId: team.id })
  context.logLines.length = 0
  await client.put(`/api/admin/participation/${participation.id}/Suspended`)
  await client.put(`/api/admin/participation/organization/${participation.id}/Open`)
  await client.put(`/api/admin/teams/${team.id}`, { name: 'Blues' })
  await client.delete(`/api/admin/teams/${team.id}`)
  await client.put(`/api/admin/users/${user.id}`, { role: 'Banned' })
  await client.delete(`/api/admin/users/${user.id}`)
  expect(context.logLines.map(({ message }) => message)).toEqual([
    'Set team "Reds" to Suspended in "Regatta"',
    'Moved team "Reds" to division "Open" in "Regatta"',
    'Changed team "Reds"',
    'Deleted team "Blues"',
    `Changed user "${user.userName}", role Banned`,
    `Deleted user "${user.userName}"`,
  ])
})

test('lets only admins read the log', async () => {
  const { client: monitor } = await signInAsNewUser(context, 'Monitor')
  expect((await createTestClient(context.app).get('/api/admin/logs')).statusCode).toBe(401)
  expect((await monitor.get('/api/admin/logs')).statusCode).toBe(403)
})
