import { createDatabase } from '@capstan/db/client'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { createUnsteadyDatabaseLink } from '@capstan/db/testing/unsteady-link'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

/**
 * Fault that occurs once: when the api sends the statement that stores a submission (`sent`), or when the response to this
 * statement arrives (`answered`).
 */
let onStoring: Readonly<{ at: 'sent' | 'answered'; happens: () => void }> | undefined
function happen(at: 'sent' | 'answered'): void {
  if (onStoring?.at !== at) return
  const { happens } = onStoring
  onStoring = undefined
  happens()
}

let direct: Awaited<ReturnType<typeof createTestDatabase>>
let link: Awaited<ReturnType<typeof createUnsteadyDatabaseLink>>
let behindLink: ReturnType<typeof createDatabase>
let context: TestApp
beforeAll(async () => {
  direct = await createTestDatabase()
  link = await createUnsteadyDatabaseLink(direct.url)
  behindLink = createDatabase(link.url, {
    // With one connection, each statement is prepared only once. Later calls then send the statement in a single message.
    maxConnections: 1,
    observe: (text) => {
      if (!text.startsWith('with "record"')) return undefined
      happen('sent')
      return () => happen('answered')
    },
  })
  context = await startTestApp({ deps: { db: behindLink.db } })
})
afterAll(async () => {
  await context.close()
  await behindLink.close()
  await link.close()
  await direct.drop()
})
beforeEach(() => {
  onStoring = undefined
})

async function aPlayedChallenge() {
  const game = await aGame(direct.db)
  const challenges = [
    await aChallenge(direct.db, { gameId: game.id, title: 'First', flags: ['flag{first}'] }),
    await aChallenge(direct.db, { gameId: game.id, title: 'Second', flags: ['flag{second}'] }),
  ] as const
  const challengeIds = challenges.map(({ id }) => id)
  const { client } = await aPlayer({ ...context, db: direct.db }, { gameId: game.id, challengeIds })
  const submit = async (number: 0 | 1, flag: string) => {
    const response = await client.post(`/api/game/${game.id}/challenges/${challenges[number].id}`, { flag })
    return [response.statusCode, response.json()]
  }
  const countOf = async () => {
    const [counts] = await direct.sql`select
      (select count(*)::int from submissions where game_id = ${game.id}) as submissions,
      (select count(*)::int from events where game_id = ${game.id}) as events,
      (select count(*)::int from solves where game_id = ${game.id}) as solves,
      (select count(*)::int from notices where game_id = ${game.id}) as notices,
      (select sum(accepted_count)::int from challenges where game_id = ${game.id}) as accepted`
    return counts
  }
  const idOf = async (answer: string) =>
    (await direct.sql`select number from submissions where game_id = ${game.id} and answer = ${answer}`).map((row) => row.number)
  return { game, submit, countOf, idOf }
}
function loseTheAnswer() {
  void link.loseAnswers().then(() => link.mend())
}

test('a wrong answer is stored only once if the database did not confirm its insert', async () => {
  const { submit, countOf, idOf } = await aPlayedChallenge()
  await submit(0, 'flag{warm-up}')
  onStoring = { at: 'sent', happens: loseTheAnswer }
  const [status, id] = await submit(0, 'flag{wrong}')
  expect([status, [id]]).toEqual([200, await idOf('flag{wrong}')])
  expect(await countOf()).toEqual({ submissions: 2, events: 2, solves: 0, notices: 0, accepted: 0 })
})

test.each([
  ['is interrupted before its commit', 'sent'],
  ['is committed but not confirmed', 'answered'],
] as const)('if the transaction of a solve %s, the solve and its blood are stored exactly once', async (_name, at) => {
  const { game, submit, countOf, idOf } = await aPlayedChallenge()
  await submit(0, 'flag{first}')
  onStoring = { at, happens: loseTheAnswer }
  const [status, id] = await submit(1, 'flag{second}')
  expect([status, [id]]).toEqual([200, await idOf('flag{second}')])
  expect(await countOf()).toEqual({ submissions: 2, events: 2, solves: 2, notices: 2, accepted: 2 })
  const bloods = () => context.messages.filter((message) => message.kind === 'notice' && message.gameId === game.id)
  await expect.poll(() => bloods().length).toBe(2)
})

test('calls are answered with 503 and Retry-After while the database is unavailable, and are not stored later', async () => {
  const { submit, countOf } = await aPlayedChallenge()
  const { client } = await signInAsNewUser({ ...context, db: direct.db }, 'Admin')
  const impatient = createDatabase(link.url, { patience: { waitMs: 200 } })
  const other = await startTestApp({ deps: { db: impatient.db } })
  await submit(0, 'flag{first}')
  await link.cut()
  const cookies = Object.fromEntries(client.cookies)
  const ask = (method: 'GET' | 'POST', url: string, payload?: object) =>
    other.app.inject({ method, url, cookies, headers: { 'accept-language': 'en' }, ...(payload && { payload }) })
  const answers = await Promise.all([
    ask('GET', '/api/game'),
    ask('POST', '/api/team', { name: 'Late' }),
    ask('POST', '/api/account/login', { userName: 'nobody', password: 'Wrong1word' }),
    ask('GET', '/api/admin/users'),
  ])
  for (const answer of answers) {
    expect([answer.statusCode, answer.headers['retry-after'], answer.json()]).toEqual([
      503,
      '5',
      { title: 'Please try again later', status: 503, code: 'server.unavailable', requestId: expect.any(String) },
    ])
  }
  expect(other.logLines).toEqual([])
  await link.mend()
  await expect.poll(async () => (await ask('GET', '/api/game')).statusCode).toBe(200)
  expect(await direct.sql`select id from teams where name = 'Late'`).toHaveLength(0)
  expect(await countOf()).toMatchObject({ submissions: 1 })
  await other.close()
  await impatient.close()
})
