import type { Challenge, FullChallenge } from '@capstan/contract/challenge'
import type { UnlockRule } from '@capstan/contract/unlock'
import type { StatementCounter } from '@capstan/db/client'
import { challenges, flags } from '@capstan/db/schema/challenges'
import { files } from '@capstan/db/schema/platform'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge } from '../../testing/organizing-factories.ts'

let context: TestApp
const counter: StatementCounter = { statements: 0 }
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp({ counter })
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
function put(place: Place, body: object) {
  return admin.put(`${address(place)}/whole`, body)
}
async function rowOf({ id }: Place) {
  return (await context.db.select().from(challenges).where(eq(challenges.id, id)))[0]!
}
async function flagsOf({ id }: Place) {
  return (await context.db.select().from(flags).where(eq(flags.challengeId, id)).orderBy(flags.id)).map((flag) => [
    flag.id,
    flag.flag,
  ])
}
async function upload(name: string): Promise<string> {
  return (await admin.upload('POST', '/api/assets', [{ field: 'files', name, content: Buffer.from(name) }])).json()[0].hash
}
async function usesOf(hash: string) {
  return (await context.db.select().from(files).where(eq(files.hash, hash))).map(({ referenceCount }) => referenceCount)
}

describe('a challenge with all fields', () => {
  test('a call stores a challenge with all fields, and a later read returns the same fields', async () => {
    const place = await aChallenge(context.db, { type: 'StaticContainer', isEnabled: false })
    const { challenge: before, version } = await get(place)
    const hash = await upload('whole.txt')
    const challenge: Challenge = {
      ...before,
      ...{ title: 'Whole', category: 'Web', tags: ['heap'], difficulty: 'hard', enabled: true, description: 'All of it.' },
      ...{
        points: 300,
        minimumShare: 0.5,
        decay: 7,
        bloods: false,
        release: Date.UTC(2020, 0, 1),
        deadline: Date.UTC(2030, 0, 1),
        unlock: { after: [], count: null, points: 250, locked: 'Hidden' },
        submissionLimit: 5,
        cooldownSeconds: 30,
        hints: [
          { text: 'Look.', price: 0 },
          { text: 'Look closer.', price: 50 },
        ],
        attachment: { hash, name: 'given.txt' },
      },
      flags: [
        { flag: 'flag{a}', file: null },
        { flag: 'b+', kind: 'Pattern', file: null },
      ],
      containers: [
        {
          ...{
            name: 'main',
            image: 'registry.example.org/x:1',
            port: 80,
            cpuTenths: 3,
            memoryMb: 64,
            storageMb: 256,
            capture: true,
          },
          reach: { speaks: 'http', isRaw: false, hasOwnCertificate: false, isGuarded: true },
          definition: { egress: 'Dns', furtherPorts: [81], secrets: [{ name: 'KEY', value: 'hidden-value' }] },
        },
      ],
    }
    const response = await put(place, { version, challenge })
    expect(response.statusCode).toBe(200)
    expect(response.body).not.toContain('hidden-value')
    const written: FullChallenge = response.json()
    const [container] = challenge.containers
    expect(written.challenge).toEqual({
      ...challenge,
      flags: [{ flag: 'flag{a}', file: null }, challenge.flags[1]],
      containers: [{ ...container, definition: { ...container!.definition, secrets: [{ name: 'KEY' }] } }],
    })
    expect(written.version).not.toBe(version)
    expect(await get(place)).toEqual(written)
    expect(await rowOf(place)).toMatchObject({ decay: 7, difficulty: 'hard', containerSecrets: { KEY: 'hidden-value' } })
    expect((await admin.get(`/api/edit/games/${place.gameId}/challenges/whole`)).json()).toEqual([written])

    // If a client sends back the challenge that it received, secrets and the ids of flags remain unchanged.
    const known = await flagsOf(place)
    expect((await put(place, written)).json()).toEqual(written)
    expect([await flagsOf(place), (await rowOf(place)).containerSecrets]).toEqual([known, { KEY: 'hidden-value' }])
  })

  test('an edit is refused if another call changed the challenge after the client had read it', async () => {
    const place = await aChallenge(context.db, { flags: ['flag{a}'] })
    const { challenge, version } = await get(place)
    await admin.put(address(place), { title: 'Renamed' })
    const refused = await put(place, { version, challenge: { ...challenge, points: 1 } })
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'challenge.changed'])
    expect((await rowOf(place)).title).toBe('Renamed')
    expect((await put(place, { challenge: { ...challenge, points: 1 } })).json().challenge).toMatchObject({ points: 1 })
  })

  test('an edit retains fields that clients of earlier versions do not send', async () => {
    const unlockRule: UnlockRule = { after: [], count: null, points: 5, locked: 'Shown' }
    const columns = { hasBloods: false, curve: 'linear' as const, isValueFixed: true, isEnabled: false, unlockRule }
    const place = await aChallenge(context.db, columns)
    const { challenge } = await get(place)
    const { bloods, curve, isValueFixed, unlock, ...known } = challenge
    expect([bloods, curve, isValueFixed, unlock]).toEqual([false, 'linear', true, unlockRule])
    expect((await put(place, { challenge: { ...known, title: 'Renamed' } })).json().challenge).toEqual({
      ...challenge,
      title: 'Renamed',
    })
  })

  test('an edit through the call of the earlier platform retains all fields that this call does not have', async () => {
    const place = await aChallenge(context.db, {
      ...{ type: 'StaticContainer', isEnabled: false, tags: ['heap'], difficulty: 'hard', speaks: 'http', isGuarded: true },
      ...{
        curve: 'parabola',
        isValueFixed: true,
        container: { user: 7 },
        containerSecrets: { KEY: 'hidden-value' },
        flags: ['flag{a}'],
      },
    })
    const { challenge } = await get(place)
    const flags = await flagsOf(place)
    await admin.put(address(place), { title: 'Renamed', memoryLimit: 99 })
    const [container] = challenge.containers
    expect((await get(place)).challenge).toEqual({
      ...challenge,
      title: 'Renamed',
      containers: [{ ...container, memoryMb: 99 }],
    })
    expect([await flagsOf(place), (await rowOf(place)).containerSecrets]).toEqual([flags, { KEY: 'hidden-value' }])
  })

  test('an edit replaces the files of flags, and releases the old files', async () => {
    const place = await aChallenge(context.db, { type: 'DynamicAttachment', isEnabled: false })
    const [one, two] = [await upload('one.txt'), await upload('two.txt')]
    const { challenge } = await get(place)
    const flagWith = (hash: string) => ({ flag: 'flag{a}', file: { hash, name: 'chart.txt' } })
    expect((await put(place, { challenge: { ...challenge, flags: [flagWith(one)] } })).statusCode).toBe(200)
    expect([await usesOf(one), await usesOf(two)]).toEqual([[1], [1]])
    expect((await put(place, { challenge: { ...challenge, flags: [flagWith(two)] } })).statusCode).toBe(200)
    expect([await usesOf(one), await usesOf(two)]).toEqual([[], [1]])
  })

  test("retains data that the challenge's type does not use", async () => {
    const place = await aChallenge(context.db, { fileName: 'mine.txt', containerImage: 'x:1', memoryMb: 99, flagTemplate: 'old' })
    const { challenge } = await get(place)
    expect((await put(place, { challenge: { ...challenge, enabled: false, title: 'Other' } })).statusCode).toBe(200)
    expect(await rowOf(place)).toMatchObject({
      ...{ title: 'Other', fileName: 'mine.txt', containerImage: 'x:1', memoryMb: 99, flagTemplate: 'old' },
    })
  })

  test.each<[string, Partial<typeof challenges.$inferInsert>, (challenge: Challenge) => object, string]>([
    ['another type', {}, () => ({ type: 'StaticContainer' }), 'request.invalid'],
    ['a blank title', {}, () => ({ title: ' ' }), 'request.invalid'],
    ['no flag while it is enabled', {}, () => ({ enabled: true }), 'challenge.no-flag'],
    ['an invalid pattern', {}, () => ({ flags: [{ flag: '(', kind: 'Pattern', file: null }] }), 'flag.pattern'],
    ['a file that is not stored', {}, () => ({ attachment: { hash: 'a'.repeat(64), name: 'a' } }), 'file.unknown'],
    ['an invalid address', {}, () => ({ attachment: { url: 'javascript:alert(1)' } }), 'request.invalid'],
    [
      'a pattern in a challenge whose flags have files',
      { type: 'DynamicAttachment' },
      () => ({ flags: [{ flag: 'a', kind: 'Pattern', file: null }] }),
      'flag.rules',
    ],
    ['a weak template', { type: 'DynamicContainer' }, () => ({ template: 'flag{a}' }), 'flag.template-weak'],
    [
      'a guard for TCP',
      { type: 'StaticContainer' },
      ({ containers: [container] }) => ({
        containers: [{ ...container, reach: { speaks: 'tcp', isRaw: false, hasOwnCertificate: false, isGuarded: true } }],
      }),
      'challenge.guard',
    ],
    [
      'a secret without a value',
      { type: 'StaticContainer' },
      ({ containers: [container] }) => ({ containers: [{ ...container, definition: { secrets: [{ name: 'KEY' }] } }] }),
      'request.invalid',
    ],
    [
      'two containers',
      { type: 'StaticContainer' },
      ({ containers: [container] }) => ({ containers: [container, container] }),
      'request.invalid',
    ],
  ])('a challenge with %s is refused, and no part is stored', async (_, values, change, code) => {
    const place = await aChallenge(context.db, { isEnabled: false, ...values })
    const before = await get(place)
    const response = await put(place, { challenge: { ...before.challenge, description: 'new', ...change(before.challenge) } })
    expect([response.statusCode, response.json().code]).toEqual([code === 'file.unknown' ? 404 : 400, code])
    expect(await get(place)).toEqual(before)
  })
})

describe('a change of single fields', () => {
  const change = ({ gameId, id }: Place, fields: object) =>
    admin.post(`/api/edit/games/${gameId}/challenges/change`, { challenges: [id], change: fields })

  test('a change of a single field retains all other fields, and writes a log entry', async () => {
    const place = await aChallenge(context.db, {
      tags: ['Heap', 'rop'],
      difficulty: 'hard',
      flags: ['flag{a}'],
      isEnabled: false,
    })
    const before = await get(place)
    const response = await change(place, { enabled: true, category: 'Web', removeTags: ['HEAP'], addTags: ['xss', 'ROP'] })
    expect([response.statusCode, response.json()]).toEqual([200, [await get(place)]])
    expect((await get(place)).challenge).toEqual({ ...before.challenge, enabled: true, category: 'Web', tags: ['rop', 'xss'] })
    expect((await change(place, { difficulty: null })).json()[0].challenge).toMatchObject({
      difficulty: null,
      tags: ['rop', 'xss'],
    })
    expect(context.logLines.map(({ message }) => message)).toContain(`Changed difficulty of "${before.challenge.title}"`)
  })

  test('a single field can change even if current rules refuse the flag template as too weak', async () => {
    const place = await aChallenge(context.db, { type: 'DynamicContainer', isEnabled: true, flagTemplate: 'flag{a}' })
    expect((await change(place, { enabled: false })).json()[0].challenge).toMatchObject({ enabled: false, template: 'flag{a}' })
    const { challenge } = await get(place)
    expect((await put(place, { challenge: { ...challenge, title: 'Other' } })).statusCode).toBe(200)
  })

  test.each<[string, object, string]>([
    ['enabling without a flag', { enabled: true }, 'challenge.no-flag'],
    ['an eleventh tag', { addTags: Array.from({ length: 10 }, (_, index) => `new${index}`) }, 'request.invalid'],
    ['nothing to change', {}, 'request.invalid'],
    ['an unknown category', { category: 'Cooking' }, 'request.invalid'],
  ])('a change of single fields is refused for %s', async (_, body, code) => {
    const place = await aChallenge(context.db, { isEnabled: false, tags: ['known'] })
    const before = await get(place)
    const response = await change(place, body)
    expect([response.statusCode, response.json().code]).toEqual([400, code])
    expect(await get(place)).toEqual(before)
  })
})

describe('the response with all fields', () => {
  test('the response lists the size of each stored file once', async () => {
    const place = await aChallenge(context.db, { type: 'DynamicAttachment', isEnabled: false })
    const hash = await upload('twelve bytes')
    const { challenge } = await get(place)
    const flags = ['flag{a}', 'flag{b}'].map((flag) => ({ flag, file: { hash, name: 'x.txt' } }))
    const { files, testContainer } = (await put(place, { challenge: { ...challenge, flags } })).json()
    expect([files, testContainer]).toEqual([[{ hash, bytes: 12 }], null])
  })
})

describe('the list of challenges with all fields', () => {
  test('the list contains the flags and files of each challenge, and needs few SQL statements in total', async () => {
    const first = await aChallenge(context.db, { flags: ['flag{0}', 'flag{0b}'] })
    const places: Place[] = [first]
    for (let index = 1; index < 40; index += 1)
      places.push(await aChallenge(context.db, { gameId: first.gameId, flags: [`flag{${index}}`] }))
    await admin.post(`${address(places[7]!)}/attachment`, { attachmentType: 'Remote', remoteUrl: 'https://example.org/7' })
    const single: FullChallenge[] = []
    for (const place of places) single.push(await get(place))
    const { statements } = counter
    const listed = (await admin.get(`/api/edit/games/${first.gameId}/challenges/whole`)).json()
    // The call needs statements for the session, the game and three lists. A background job adds one statement each second.
    expect(counter.statements - statements).toBeLessThan(20)
    expect(listed).toEqual(single)
  })
})
