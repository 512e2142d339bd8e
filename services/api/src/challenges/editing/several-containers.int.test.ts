import type { Challenge, FullChallenge } from '@capstan/contract/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import type { ChallengeContainer } from '@capstan/contract/containers'
import { ContainerLimits } from '@capstan/contract/limits'
import { challenges } from '@capstan/db/schema/challenges'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { requiredEnvironment } from '../../testing/environment.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  const { instances } = readConfig(requiredEnvironment)
  const choices = { ...instances.choices, maxContainers: ContainerLimits.maxContainers }
  context = await startTestApp({ config: { instances: { ...instances, choices } } })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

type Place = Readonly<{ gameId: number; id: number }>
function address({ gameId, id }: Place) {
  return `/api/edit/games/${gameId}/challenges/${id}`
}
async function get(place: Place): Promise<FullChallenge> {
  return (await admin.get(`${address(place)}/whole`)).json()
}
function put(place: Place, challenge: object) {
  return admin.put(`${address(place)}/whole`, { challenge })
}
async function secretsOf({ id }: Place) {
  const [row] = await context.db.select().from(challenges).where(eq(challenges.id, id))
  return [row?.containerSecrets, row?.furtherContainerSecrets]
}

/** Container as a response shows it. Each field has its default. */
const plain = { ...defaultContainer, reach: { ...defaultContainer.reach, isGuarded: false } }

const page: ChallengeContainer = {
  ...plain,
  ...{ name: 'page', image: 'x/page:1', dependsOn: [{ name: 'db', when: 'ready' }] },
  networks: [
    { name: 'front', aliases: ['www'] },
    { name: 'back', aliases: [] },
  ],
  definition: { secrets: [{ name: 'KEY', value: 'hidden-page' }] },
}
const database: ChallengeContainer = {
  ...plain,
  ...{ name: 'db', image: 'x/db:1', port: null, receivesFlag: true, networks: [{ name: 'back', aliases: ['store'] }] },
  definition: { furtherPorts: [5432], secrets: [{ name: 'KEY', value: 'hidden-db' }] },
}
const bot: ChallengeContainer = {
  ...plain,
  ...{ name: 'bot', image: 'x/bot:1', port: null, networks: [{ name: 'front', aliases: [] }] },
}

/** Returns a container as in responses: secrets have names, but no values. */
function read(container: ChallengeContainer): ChallengeContainer {
  const { secrets = [] } = container.definition
  const named = secrets.map(({ name }) => ({ name }))
  return { ...container, definition: { ...container.definition, ...(named.length > 0 && { secrets: named }) } }
}

async function aNetwork(): Promise<Place & { readonly challenge: Challenge }> {
  const place = await aChallenge(context.db, { type: 'StaticContainer', isEnabled: false })
  const { challenge } = await get(place)
  const response = await put(place, { ...challenge, containers: [page, database, bot] })
  expect([response.statusCode, response.body.includes('hidden-')]).toEqual([200, false])
  return { ...place, challenge: response.json().challenge }
}

describe('a challenge with three containers', () => {
  test('a challenge with three containers is stored as sent, and responses contain no values of secrets', async () => {
    const place = await aNetwork()
    expect(place.challenge.containers).toEqual([page, database, bot].map(read))
    expect((await get(place)).challenge).toEqual(place.challenge)
    expect(await secretsOf(place)).toEqual([{ KEY: 'hidden-page' }, { db: { KEY: 'hidden-db' } }])
  })

  test('each container retains its secrets by name, even if the order changes', async () => {
    const place = await aNetwork()
    const [first, second, third] = place.challenge.containers
    const entry = { ...second!, port: 80 }
    const { networks, ...others } = { ...first!, port: null }
    expect((await put(place, { ...place.challenge, containers: [entry, { ...others, networks }, third] })).statusCode).toBe(200)
    expect(await secretsOf(place)).toEqual([{ KEY: 'hidden-db' }, { page: { KEY: 'hidden-page' } }])
  })

  test('a container with a new name needs the values of its secrets again', async () => {
    const place = await aNetwork()
    const [first, second] = place.challenge.containers
    const refused = await put(place, {
      ...place.challenge,
      containers: [
        { ...first!, dependsOn: [] },
        { ...second!, name: 'data' },
      ],
    })
    expect([refused.statusCode, refused.json().detail]).toEqual([400, '/1/definition/secrets/0/value: missing'])
  })

  test('the secrets of a removed container are deleted', async () => {
    const place = await aNetwork()
    const [first] = place.challenge.containers
    await put(place, { ...place.challenge, containers: [{ ...first!, dependsOn: [] }] })
    expect(await secretsOf(place)).toEqual([{ KEY: 'hidden-page' }, {}])
  })

  test('a client of an earlier version changes only the first container, which retains its name and networks', async () => {
    const place = await aNetwork()
    const { name: _, networks: __, dependsOn: ___, ...known } = place.challenge.containers[0]!
    const response = await put(place, { ...place.challenge, containers: [{ ...known, memoryMb: 99 }] })
    const [first, ...others] = place.challenge.containers
    expect(response.json().challenge.containers).toEqual([{ ...first!, memoryMb: 99 }, ...others])
    expect(await secretsOf(place)).toEqual([{ KEY: 'hidden-page' }, { db: { KEY: 'hidden-db' } }])
  })

  test('a call that changes a field of the first container retains the additional containers', async () => {
    const place = await aNetwork()
    await admin.put(address(place), { containerImage: 'x/page:2' })
    await admin.put(`${address(place)}/reach`, { speaks: 'http', isRaw: false, hasOwnCertificate: false })
    await admin.put(`${address(place)}/container/definition`, { egress: 'None' })
    const [first, ...others] = place.challenge.containers
    const reach = { speaks: 'http', isRaw: false, hasOwnCertificate: false, isGuarded: false }
    expect((await get(place)).challenge.containers).toEqual([
      { ...first!, image: 'x/page:2', reach, definition: { egress: 'None' } },
      ...others,
    ])
  })

  test('the api answers 400 if `containerExposePort` is already a port of another container', async () => {
    const place = await aNetwork()
    const [first, second, third] = place.challenge.containers
    const offering = { furtherPorts: [5432], offeredPorts: [{ port: 5432, speaks: 'tcp' }] }
    const containers = [first, { ...second!, definition: { ...second!.definition, ...offering } }, third]
    expect((await put(place, { ...place.challenge, containers })).statusCode).toBe(200)
    const stored = (await get(place)).challenge.containers
    const refused = await admin.put(address(place), { containerExposePort: 5432 })
    expect([refused.statusCode, refused.json().detail]).toEqual([400, '/1/definition/offeredPorts/0/port: twice'])
    expect((await get(place)).challenge.containers).toEqual(stored)
  })

  test('after a change of `containerExposePort`, the readiness probe uses the new port', async () => {
    const place = await aNetwork()
    const [first, ...others] = place.challenge.containers
    const ports = { furtherPorts: [8080, 9000], offeredPorts: [{ port: 8080, speaks: 'http' }] }
    const definition = { ...first!.definition, ...ports, readiness: { port: 80, path: '/up' } }
    await put(place, { ...place.challenge, containers: [{ ...first!, definition }, ...others] })
    expect((await admin.put(address(place), { containerExposePort: 8080 })).statusCode).toBe(200)
    const moved = { ...first!.definition, furtherPorts: [9000], readiness: { port: 8080, path: '/up' } }
    expect((await get(place)).challenge.containers).toEqual([{ ...first!, port: 8080, definition: moved }, ...others])
    expect(await secretsOf(place)).toEqual([{ KEY: 'hidden-page' }, { db: { KEY: 'hidden-db' } }])
  })

  test('a copy of a challenge has all containers with their secrets', async () => {
    const place = await aNetwork()
    const copy = (await admin.post(`${address(place)}/clone`, { title: 'Copy' })).json()
    const copied = { gameId: place.gameId, id: copy.id }
    expect((await get(copied)).challenge.containers).toEqual(place.challenge.containers)
    expect(await secretsOf(copied)).toEqual(await secretsOf(place))
  })

  test('a challenge with several containers is refused if one of them has no name', async () => {
    const place = await aNetwork()
    const { name: _, ...nameless } = bot
    const refused = await put(place, { ...place.challenge, containers: [page, nameless] })
    expect([refused.statusCode, refused.json().detail]).toEqual([400, '/challenge/containers/1/name: missing'])
  })

  test.each<[string, number, Partial<ChallengeContainer>]>([
    ['a name in capitals', 400, { name: 'DB' }],
    ['a name of the maximum length', 200, { name: 'd'.repeat(ContainerLimits.maxContainerNameLength) }],
    ['a name that is too long', 400, { name: 'd'.repeat(ContainerLimits.maxContainerNameLength + 1) }],
    ['no network', 400, { networks: [] as unknown as ChallengeContainer['networks'] & [] }],
  ])('if an additional container has %s, the response has the status %i', async (_, status, change) => {
    const place = await aNetwork()
    const { dependsOn: __, ...first } = page
    const response = await put(place, { ...place.challenge, containers: [first, { ...bot, ...change }] })
    expect(response.statusCode).toBe(status)
  })
})

test('a row of an earlier version is read as a list of one container with the default name', async () => {
  const place = await aChallenge(context.db, { type: 'StaticContainer', containerImage: 'x:1' })
  expect((await get(place)).challenge.containers).toEqual([{ ...plain, image: 'x:1' }])
})
