import { challenges } from '@capstan/db/schema/challenges'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function address(challenge: { gameId: number; id: number }) {
  return `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}/container/definition`
}

async function stored(id: number) {
  const [row] = await context.db.select().from(challenges).where(eq(challenges.id, id))
  return row
}

test('shows an empty definition and the allowed settings for a challenge without container settings', async () => {
  const challenge = await aChallenge(context.db, { type: 'StaticContainer' })
  const response = await admin.get(address(challenge))
  expect(response.json()).toEqual({
    definition: {},
    choices: { egress: ['None', 'Dns', 'Internet'], security: ['Restricted', 'Baseline'], exposure: ['Proxy'], maxContainers: 8 },
  })
})

test('replaces all container settings and returns only the names of secrets', async () => {
  const challenge = await aChallenge(context.db, { type: 'DynamicContainer', port: 80 })
  const definition = {
    command: ['/bin/serve'],
    environment: [{ name: 'MODE', value: 'hard' }],
    flag: { variables: [], file: { path: '/flag.txt', mode: '0400', owner: 1000 } },
    user: 1000,
    readOnlyRoot: true,
    writablePaths: [{ path: '/tmp', sizeMb: 8 }],
    egress: 'Dns',
    furtherPorts: [8080],
    readiness: { port: 8080, path: '/healthz' },
    startTimeoutSeconds: 60,
    pullSecret: 'registry',
  }
  const put = await admin.put(address(challenge), { ...definition, secrets: [{ name: 'KEY', value: 'hidden-value' }] })
  expect([put.statusCode, put.json().definition]).toEqual([200, { ...definition, secrets: [{ name: 'KEY' }] }])
  expect((await admin.get(address(challenge))).json()).toEqual(put.json())
  expect(put.body).not.toContain('hidden-value')

  // A response contains only the names of secrets. A call that sends these names without values retains the stored values.
  expect((await admin.put(address(challenge), put.json().definition)).statusCode).toBe(200)
  expect(await stored(challenge.id)).toMatchObject({ container: definition, containerSecrets: { KEY: 'hidden-value' } })

  // A call removes every setting that it omits.
  await admin.put(address(challenge), { egress: 'None' })
  expect(await stored(challenge.id)).toMatchObject({ container: { egress: 'None' }, containerSecrets: {} })
})

test.each<[string, object, string]>([
  ['contradicts itself', { readiness: { port: 9 } }, '/readiness/port: unknownPort'],
  ['exceeds the limits of the platform', { exposure: 'NodePort' }, '/exposure: choice'],
  ['names a secret without a value', { secrets: [{ name: 'toString' }] }, '/secrets/0/value: missing'],
])(
  'a definition that %s is refused, the response names the setting, and nothing is stored',
  async (_what, definition, detail) => {
    const challenge = await aChallenge(context.db, { type: 'StaticContainer', container: { user: 7 } })
    const response = await admin.put(address(challenge), definition)
    expect([response.statusCode, response.json().code, response.json().detail]).toEqual([400, 'request.invalid', detail])
    expect(await stored(challenge.id)).toMatchObject({ container: { user: 7 } })
  },
)

test('refuses unknown fields and values that are too long', async () => {
  const challenge = await aChallenge(context.db, { type: 'StaticContainer' })
  for (const definition of [{ user: -1 }, { command: [] }, { writablePaths: [{ path: 'tmp', sizeMb: 1 }] }])
    expect((await admin.put(address(challenge), definition)).statusCode).toBe(400)
})

test('answers 404 for an unknown challenge', async () => {
  const { gameId } = await aChallenge(context.db)
  expect((await admin.get(address({ gameId, id: 999_999 }))).statusCode).toBe(404)
  expect((await admin.put(address({ gameId, id: 999_999 }), {})).statusCode).toBe(404)
})
