import type { ApiToken, ApiTokenCreate } from '@capstan/contract/tokens'
import { apiTokens } from '@capstan/db/schema/tokens'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { createGatewayBackend } from '../../instances/internal/gateway-backend.ts'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'

const dayMs = 86_400_000

/** Test api with its own database. `replica` is a second api process with the same database. */
let context: TestApp
let replica: FastifyInstance
beforeAll(async () => {
  context = await startTestApp()
  replica = await buildApp(context.deps)
  await replica.ready()
})
afterAll(async () => {
  await replica.close()
  await context.close()
})

function anAdmin() {
  return signInAsNewUser(context, 'Admin')
}
type Admin = Awaited<ReturnType<typeof anAdmin>>['client']

async function make(admin: Admin, body: Partial<ApiTokenCreate> = {}): Promise<{ token: string; info: ApiToken }> {
  const answer = await admin.post('/api/tokens', { name: 'ci', ...body })
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

async function listed(admin: Admin, id: string): Promise<ApiToken | undefined> {
  return (await admin.get('/api/tokens')).json().find((token: ApiToken) => token.id === id)
}

type Asked = Pick<InjectOptions, 'method' | 'payload' | 'cookies'> & { app?: FastifyInstance; headers?: Record<string, string> }

function use(token: string, url = '/api/edit/games', { app = context.app, headers, ...asked }: Asked = {}) {
  return app.inject({ url, ...asked, headers: { ...headers, authorization: `Bearer ${token}` } })
}

async function outcome(answer: ReturnType<typeof use>) {
  const { statusCode, body } = await answer
  return [statusCode, statusCode === 200 ? undefined : JSON.parse(body).code]
}

describe('API tokens', () => {
  test('a token is shown only once, and only its id is stored', async () => {
    const { user, client } = await anAdmin()
    const game = await aGame(context.db)
    const before = context.clock.now().getTime()
    const { token, info } = await make(client, { name: ' nightly ', expiresIn: 30, scope: 'WriteChallenges', gameId: game.id })
    expect(info).toEqual({
      ...{ id: info.id, name: 'nightly', creatorId: user.id, creator: user.userName },
      ...{ createdAt: before, expiresAt: before + 30 * dayMs, lastUsedAt: null, isRevoked: false },
      ...{ scope: 'WriteChallenges', gameId: game.id, gameTitle: game.title },
    })
    const [payload = '', signature = ''] = token.split('.')
    const [iat, exp] = [before, before + 30 * dayMs].map((at) => Math.floor(at / 1000))
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({ jti: info.id, iat, exp })
    expect(await listed(client, info.id)).toEqual(info)
    const rows = JSON.stringify(await context.db.select().from(apiTokens))
    expect([rows.includes(signature), rows.includes(payload)]).toEqual([false, false])
    expect(JSON.stringify(context.logLines)).not.toContain(signature)
  })

  test('by default, a token can read every game and never expires', async () => {
    const { client } = await anAdmin()
    for (const expiresIn of [undefined, null, 0]) {
      const { token, info } = await make(client, { ...(expiresIn !== undefined && { expiresIn }) })
      expect([info.scope, info.gameId, info.expiresAt]).toEqual(['ReadGame', null, null])
      const [payload = ''] = token.split('.')
      expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).not.toHaveProperty('exp')
    }
  })

  test('no token is created with a blank name, for an unknown game, or for a single game and the platform together', async () => {
    const { client } = await anAdmin()
    const codeOf = async (body: object) => (await client.post('/api/tokens', { name: 'ci', ...body })).json().code
    expect(await codeOf({ name: '  ' })).toBe('request.invalid')
    expect(await codeOf({ name: 'x'.repeat(129) })).toBe('request.invalid')
    expect(await codeOf({ expiresIn: 3_651 })).toBe('request.invalid')
    expect(await codeOf({ scope: 'Everything' })).toBe('request.invalid')
    expect(await codeOf({ gameId: 2_000_000_000 })).toBe('game.unknown')
    expect(await codeOf({ gameId: 1, scope: 'WritePlatform' })).toBe('token.platform-game')
  })

  test('a token is not created if 500 tokens already exist', async () => {
    const { user, client } = await anAdmin()
    const { info } = await make(client)
    await context.sql`insert into api_tokens (name, creator_id, scope)
      select 'one of many', ${user.id}, 'ReadGame' from generate_series(1, 500 - (select count(*)::int from api_tokens))`
    expect((await client.post('/api/tokens', { name: 'ci' })).json().code).toBe('token.too-many')
    await client.delete(`/api/tokens/${info.id}?delete=true`)
    await make(client)
    await context.sql`delete from api_tokens where name = 'one of many'`
  })

  test('the list of tokens shows the last use of a token to the minute', async () => {
    const { client } = await anAdmin()
    const { token, info } = await make(client)
    await use(token)
    const first = context.clock.now().getTime()
    expect((await listed(client, info.id))?.lastUsedAt).toBe(first)
    context.clock.advanceMs(59_999)
    await use(token)
    expect((await listed(client, info.id))?.lastUsedAt).toBe(first)
    context.clock.advanceMs(1)
    await use(token)
    expect((await listed(client, info.id))?.lastUsedAt).toBe(first + 60_000)
  })

  test('a token is refused after it expires', async () => {
    const { client } = await anAdmin()
    const { token } = await make(client, { expiresIn: 1 })
    context.clock.advanceMs(dayMs - 1)
    expect(await outcome(use(token))).toEqual([200, undefined])
    context.clock.advanceMs(1)
    expect(await outcome(use(token))).toEqual([401, 'token.expired'])
  })

  test('log lines about accepted and refused calls with a token contain the name of the token', async () => {
    const { user, client } = await anAdmin()
    const { token } = await make(client, { name: 'nightly', scope: 'WritePlatform' })
    const body = { globalConfig: { slogan: 'Written by a token' } }
    await use(token, '/api/admin/config', { method: 'PUT', payload: body })
    expect(context.logLines.at(-1)).toMatchObject({
      name: user.userName,
      message: expect.stringMatching(/ \(API token nightly\)$/),
    })
    await use(token, '/api/tokens')
    expect(context.logLines.at(-1)).toMatchObject({
      ...{ level: 'Warning', status: 'Denied', name: user.userName },
      message: 'Refused GET /api/tokens (API token nightly)',
    })
  })
})

describe('tokens that another process has cached', () => {
  const scene = async () => {
    const creator = await anAdmin()
    const { token, info } = await make(creator.client)
    const onReplica = () => outcome(use(token, '/api/edit/games', { app: replica }))
    expect(await onReplica()).toEqual([200, undefined])
    const { client: admin } = await anAdmin()
    return { creator: creator.user, id: info.id, onReplica, admin }
  }

  test('a cached token is refused after revocation, accepted after restoration, and refused after deletion', async () => {
    const { id, onReplica, admin } = await scene()
    await admin.delete(`/api/tokens/${id}`)
    expect(await onReplica()).toEqual([401, 'token.revoked'])
    expect((await listed(admin, id))?.isRevoked).toBe(true)
    await admin.post(`/api/tokens/${id}/restore`)
    expect(await onReplica()).toEqual([200, undefined])
    await admin.delete(`/api/tokens/${id}?delete=true`)
    expect(await onReplica()).toEqual([401, 'token.invalid'])
    expect(await listed(admin, id)).toBeUndefined()
  })

  test.each(['Banned', 'User', 'Monitor'])(
    'a cached token is refused after its creator becomes %s, and accepted after the creator is admin again',
    async (role) => {
      const { creator, onReplica, admin } = await scene()
      await admin.put(`/api/admin/users/${creator.id}`, { role })
      expect(await onReplica()).toEqual([401, 'token.creator'])
      await admin.put(`/api/admin/users/${creator.id}`, { role: 'Admin' })
      expect(await onReplica()).toEqual([200, undefined])
    },
  )

  test('a cached token is refused after its creator is deactivated, and accepted after the creator is active again', async () => {
    const { creator, onReplica, admin } = await scene()
    await admin.put(`/api/admin/users/${creator.id}`, { emailConfirmed: false })
    expect(await onReplica()).toEqual([401, 'token.creator'])
    await admin.put(`/api/admin/users/${creator.id}`, { emailConfirmed: true })
    expect(await onReplica()).toEqual([200, undefined])
  })

  test('a cached token is refused after its creator is deleted', async () => {
    const { creator, id, onReplica, admin } = await scene()
    expect((await admin.delete(`/api/admin/users/${creator.id}`)).statusCode).toBe(200)
    expect(await onReplica()).toEqual([401, 'token.invalid'])
    expect(await listed(admin, id)).toBeUndefined()
  })
})

describe('requests with an Authorization header', () => {
  test('a request with a token may come from any site, since browsers do not send tokens automatically', async () => {
    const { client } = await anAdmin()
    const { token } = await make(client, { scope: 'WritePlatform' })
    const headers = { origin: 'https://elsewhere.example' }
    const change = { method: 'PUT', payload: { globalConfig: { slogan: 'From elsewhere' } } } as const
    expect(await outcome(use(token, '/api/admin/config', { ...change, headers }))).toEqual([200, undefined])
  })

  test.each<Record<string, string>>([{}, { origin: 'https://elsewhere.example' }])(
    'a request with both a token and a session cookie is refused: %o',
    async (headers) => {
      const { client } = await anAdmin()
      const { token } = await make(client, { scope: 'WritePlatform' })
      const cookies = Object.fromEntries(client.cookies)
      for (const text of [token, `${token.slice(0, -2)}AA`, 'a.b'])
        expect(await outcome(use(text, '/api/admin/config', { method: 'PUT', payload: {}, headers, cookies }))).toEqual([
          400,
          'token.with-session',
        ])
    },
  )

  test.each(['Basic dXNlcjpwYXNz', 'Bearer one', 'Bearer a.b.c', 'Bearer', `Bearer a.${'b'.repeat(600)}`])(
    'a request whose header is not a valid token uses the session, and its origin is checked: %s',
    async (authorization) => {
      const { client } = await anAdmin()
      const cookies = Object.fromEntries(client.cookies)
      const send = (headers: object) =>
        outcome(
          context.app.inject({
            ...{ method: 'PUT', url: '/api/admin/config', payload: { globalConfig: { slogan: 'By session' } }, cookies },
            headers: { authorization, ...headers },
          }),
        )
      expect(await send({})).toEqual([200, undefined])
      expect(await send({ origin: 'https://elsewhere.example' })).toEqual([403, 'request.origin'])
    },
  )

  test('a request with a token gets no cookie and stores no visit', async () => {
    const { user, client } = await anAdmin()
    const { token } = await make(client)
    const visitOf = async () => (await context.sql`select last_visited_at from users where id = ${user.id}`)[0]
    const before = await visitOf()
    context.clock.advanceMs(10_000)
    const answer = await use(token)
    expect([answer.cookies, await visitOf()]).toEqual([[], before])
  })

  test('a request with a token counts toward the rate limit of the token, not of the creator', async () => {
    const limited = await startTestApp({ config: { rateLimits: true, trustedProxies: true }, deps: { sleep: async () => {} } })
    const { client } = await signInAsNewUser(limited, 'Admin')
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const made = async () =>
      (await client.inject({ method: 'POST', url: '/api/tokens', payload: { name: 'ci' }, headers })).json().token as string
    const [busy, other] = [await made(), await made()]
    const statusOf = async (token: string) => (await use(token, '/api/edit/games', { app: limited.app, headers })).statusCode
    for (let call = 0; call < 210; call += 1) expect(await statusOf(busy)).toBe(200)
    expect([await statusOf(busy), await statusOf(other)]).toEqual([429, 200])
    expect((await client.inject({ url: '/api/tokens', headers })).statusCode).toBe(200)
    await limited.close()
  })
})

describe('access of tokens to the live messages for monitors', () => {
  const whoIs = (authorization: string, cookie = '') =>
    createGatewayBackend(context.app).session({ cookie, protocol: 'http', authorization })

  test('a token has the rights of a monitor, and only for its game if the token is limited to one game', async () => {
    const { user, client } = await anAdmin()
    const game = await aGame(context.db)
    const { token } = await make(client)
    const { token: bound } = await make(client, { gameId: game.id })
    expect(await whoIs(`Bearer ${token}`)).toEqual({ userId: user.id, role: 'Monitor' })
    expect(await whoIs(`Bearer ${bound}`)).toEqual({ userId: user.id, role: 'Monitor', gameId: game.id })
  })

  test('an invalid token, or a token together with a session, is refused', async () => {
    const { client } = await anAdmin()
    const { token, info } = await make(client)
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    expect(await whoIs(`Bearer ${token}`, cookie)).toBeNull()
    await client.delete(`/api/tokens/${info.id}`)
    expect(await whoIs(`Bearer ${token}`)).toBeNull()
    expect(await whoIs('Bearer a.b')).toBeNull()
  })

  test('the end of a token makes open sockets check their access again', async () => {
    const { user, client } = await anAdmin()
    const { info } = await make(client)
    const { info: removed } = await make(client)
    const ends = () =>
      context.messages.filter((message) => message.kind === 'sessions-ended' && message.userId === user.id).length
    await client.delete(`/api/tokens/${info.id}`)
    await expect.poll(ends).toBe(1)
    await client.delete(`/api/tokens/${removed.id}?delete=true`)
    await expect.poll(ends).toBe(2)
  })

  test("for an API token, the internal session call returns the creator's id and the role Monitor", async () => {
    const { user, client } = await anAdmin()
    const { token } = await make(client)
    const { internalToken } = context.deps.config
    const answer = await context.app.inject({
      url: '/internal/session',
      headers: { authorization: `Bearer ${internalToken}`, 'x-capstan-client-authorization': `Bearer ${token}` },
    })
    expect(answer.json()).toEqual({ userId: user.id, role: 'Monitor' })
  })
})
