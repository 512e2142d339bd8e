import { SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { type Exchange, type HostileAnswer, startHostileProvider } from './testing/hostile-provider.ts'

const secretKey = 'a server secret of the tests'
const outgoing = { allowed: ['127.0.0.1', 'localhost'], blocked: [], http: true }
async function honest({ payload, sign }: Exchange): Promise<HostileAnswer> {
  return { idToken: await sign(payload) }
}
let answer = honest
let context: TestApp
let provider: Awaited<ReturnType<typeof startHostileProvider>>
beforeAll(async () => {
  provider = await startHostileProvider((exchange) => answer(exchange))
  context = await startTestApp({
    config: { publicOrigin: 'http://ctf.example.org', secretKey, outgoing },
    deps: { providerClient: undefined },
  })
  const { client } = await signInAsNewUser(context, 'Admin')
  const claims = { userName: 'preferred_username', realName: 'name', stdNumber: '', adminClaim: '', adminValue: '' }
  const created = await client.post('/api/admin/signin', {
    ...{ key: 'hostile', kind: 'OpenId', name: 'Hostile', issuer: provider.issuer, clientId: 'capstan', clientSecret: 's' },
    ...{ scope: '', claims, isEnabled: true },
  })
  expect(created.statusCode).toBe(200)
})
afterAll(async () => {
  await context.close()
  await provider.close()
})

/**
 * Signs in at a provider that sends a crafted answer.
 * @returns the outcome or problem code, and whether the client then has a session
 */
async function attack(make: typeof honest, change?: Readonly<Record<string, string>>) {
  answer = make
  const client = createTestClient(context.app)
  const { url } = (await client.post('/api/account/signin/hostile', { purpose: 'LogIn' })).json()
  const response = await client.post('/api/account/signin/hostile/finish', { answer: provider.authorize(url, change) })
  const { outcome, code } = response.json()
  return [outcome ?? code, (await client.get('/api/account/profile')).statusCode]
}
function signed(change: Record<string, unknown>) {
  return async ({ payload, sign }: Exchange) => ({
    idToken: await sign({ ...payload, ...change }),
  })
}

test('a valid ID token logs the user in, even if the token expired 20 s ago', async () => {
  expect(await attack(honest)).toEqual(['LoggedIn', 200])
  const now = Math.floor(Date.now() / 1000)
  expect(await attack(signed({ exp: now - 20, iat: now - 300 }))).toEqual(['LoggedIn', 200])
})

test.each<[string, typeof honest]>([
  ['of another issuer', signed({ iss: 'https://elsewhere.example' })],
  ['for another audience', signed({ aud: 'someone-else' })],
  ['for several audiences without an authorized party', signed({ aud: ['capstan', 'other'] })],
  ['for several audiences with another authorized party', signed({ aud: ['capstan', 'other'], azp: 'other' })],
  ['with another nonce', signed({ nonce: 'guessed' })],
  ['without a nonce', signed({ nonce: undefined })],
  ['that has expired', signed({ exp: Math.floor(Date.now() / 1000) - 120 })],
  ['without an end', signed({ exp: undefined })],
  ['without a subject', signed({ sub: undefined })],
  ['signed with an unpublished key', async ({ payload, signWithOtherKey }) => ({ idToken: await signWithOtherKey(payload) })],
  ['with the algorithm none', async ({ payload }) => ({ idToken: new UnsecuredJWT(payload).encode() })],
  [
    'with the public key as a shared secret',
    async ({ payload, publicModulus }) => ({
      idToken: await new SignJWT(payload)
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .sign(new TextEncoder().encode(publicModulus)),
    }),
  ],
  [
    'with the client secret as the key',
    async ({ payload }) => ({
      idToken: await new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('s'.repeat(32))),
    }),
  ],
  [
    'with a changed payload',
    async ({ payload, sign }) => {
      const [head, , signature] = (await sign(payload)).split('.')
      const body = Buffer.from(JSON.stringify({ ...payload, sub: 'admin' })).toString('base64url')
      return { idToken: `${head}.${body}.${signature}` }
    },
  ],
  ['that is no token', async () => ({ idToken: 'abc' })],
  ['that is absent', async () => ({})],
])('an ID token %s is refused', async (_case, make) => {
  expect(await attack(make)).toEqual(['sign-in.failed', 401])
})

test('a sign-in is refused if the user info belongs to another subject than the ID token', async () => {
  const make = async ({ payload, sign }: Exchange) => ({ idToken: await sign(payload), user: { sub: 'admin' } })
  expect(await attack(make)).toEqual(['sign-in.failed', 401])
})

test.each([
  ['of another provider', { iss: 'https://elsewhere.example' }],
  ['with another state', { state: 'guessed' }],
  ['that reports an error', { error: 'access_denied' }],
])('a callback %s is refused', async (_case, change) => {
  expect(await attack(honest, change)).toEqual(['sign-in.failed', 401])
})

test('the log contains the failed check, but no token or secret', async () => {
  await attack(signed({ aud: 'someone-else' }))
  const { message } = context.logLines.at(-1)!
  expect(message).toMatch(/^Sign-in with hostile refused: .*aud/)
  expect(message).not.toMatch(/eyJ|code=c/)
})
