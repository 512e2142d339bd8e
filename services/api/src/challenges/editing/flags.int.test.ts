import { createHash } from 'node:crypto'
import { files } from '@capstan/db/schema/platform'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anAssignment, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function base(challenge: { gameId: number; id: number }) {
  return `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}`
}
function hashOf(content: string) {
  return createHash('sha256').update(content).digest('hex')
}
async function uploadFiles(...contents: string[]) {
  const list = contents.map((content) => ({ field: 'files', name: `${content}.zip`, content }))
  return (await admin.upload('POST', '/api/assets', list)).json() as { hash: string; name: string }[]
}
async function referencesOf(hash: string) {
  return (await context.db.select().from(files).where(eq(files.hash, hash)))[0]?.referenceCount
}

describe('flags', () => {
  test('stores trimmed flags and lists them in order', async () => {
    const challenge = await aChallenge(context.db)
    const response = await admin.post(`${base(challenge)}/flags`, [{ flag: ' one ' }, { flag: 'two' }])
    expect([response.statusCode, response.body]).toEqual([200, ''])
    expect((await admin.get(base(challenge))).json().flags).toEqual([
      { id: expect.any(Number), flag: 'one', attachment: null },
      { id: expect.any(Number), flag: 'two', attachment: null },
    ])
  })

  test('a flag can have a local or a remote file', async () => {
    const challenge = await aChallenge(context.db, { type: 'DynamicAttachment' })
    const [one, two] = await uploadFiles('flag-one', 'flag-two')
    await admin.post(`${base(challenge)}/flags`, [
      { flag: 'flag-one', attachmentType: 'Local', fileHash: one!.hash },
      { flag: 'remote', attachmentType: 'Remote', remoteUrl: 'https://files.example.org/x' },
      { flag: 'flag-two', attachmentType: 'Local', fileHash: two!.hash },
      { flag: 'bare' },
    ])
    const flags: { flag: string; attachment: { url: string; fileSize: number | null } | null }[] = (
      await admin.get(base(challenge))
    ).json().flags
    expect(flags.map(({ flag, attachment }) => [flag, attachment?.url, attachment?.fileSize])).toEqual([
      ['flag-one', `/assets/${one!.hash}/flag-one.zip`, 8],
      ['remote', 'https://files.example.org/x', null],
      ['flag-two', `/assets/${two!.hash}/flag-two.zip`, 8],
      ['bare', undefined, undefined],
    ])
  })

  test.each([
    ['an unknown file', { flag: 'x', attachmentType: 'Local', fileHash: '0'.repeat(64) }, 404, 'file.unknown'],
    ['no hash', { flag: 'x', attachmentType: 'Local' }, 400, 'request.parameter'],
    ['a script as address', { flag: 'x', attachmentType: 'Remote', remoteUrl: 'javascript:1' }, 400, 'request.parameter'],
    ['no text', { flag: ' ' }, 400, 'request.invalid'],
    ['128 characters', { flag: 'x'.repeat(128) }, 400, 'request.invalid'],
  ])('a call is refused if one of its flags has %s, and no flag of the call is stored', async (_what, flag, status, code) => {
    const challenge = await aChallenge(context.db, { type: 'DynamicAttachment' })
    const response = await admin.post(`${base(challenge)}/flags`, [{ flag: 'good' }, flag])
    expect([response.statusCode, response.json().code]).toEqual([status, code])
    expect((await admin.get(base(challenge))).json().flags).toEqual([])
  })

  test('refuses flags for challenges of type DynamicContainer', async () => {
    const challenge = await aChallenge(context.db, { type: 'DynamicContainer' })
    expect((await admin.post(`${base(challenge)}/flags`, [{ flag: 'x' }])).json().code).toBe('request.parameter')
  })

  test('deletes a flag with its file, and disables the challenge when its last flag is deleted', async () => {
    const challenge = await aChallenge(context.db, { type: 'DynamicAttachment' })
    const [file] = await uploadFiles('deleted with its flag')
    await admin.post(`${base(challenge)}/flags`, [
      { flag: 'one', attachmentType: 'Local', fileHash: file!.hash },
      { flag: 'two' },
    ])
    const [one, two] = (await admin.get(base(challenge))).json().flags
    const removed = await admin.delete(`${base(challenge)}/flags/${one.id}`)
    expect([removed.statusCode, removed.json()]).toEqual([200, 'Success'])
    expect((await admin.get(`/assets/${file!.hash}/x`)).statusCode).toBe(404)
    expect((await admin.get(base(challenge))).json().isEnabled).toBe(true)
    await admin.delete(`${base(challenge)}/flags/${two.id}`)
    expect((await admin.get(base(challenge))).json()).toMatchObject({ isEnabled: false, flags: [] })
    const again = await admin.delete(`${base(challenge)}/flags/${two.id}`)
    expect([again.statusCode, again.json()]).toEqual([200, 'NotFound'])
  })

  test('answers 404 if the challenge of a flag is unknown', async () => {
    const { id } = await aGame(context.db)
    const url = base({ gameId: id, id: 999_999 })
    expect((await admin.post(`${url}/flags`, [{ flag: 'x' }])).json().code).toBe('challenge.unknown')
    expect((await admin.delete(`${url}/flags/1`)).json().code).toBe('challenge.unknown')
  })

  test('adds 600 flags in one call', async () => {
    const challenge = await aChallenge(context.db, { type: 'DynamicAttachment' })
    const list = Array.from({ length: 600 }, (_, index) => ({
      flag: `flag ${index}`,
      attachmentType: 'Remote',
      remoteUrl: `https://x.org/${index}`,
    }))
    expect((await admin.post(`${base(challenge)}/flags`, list)).statusCode).toBe(200)
    const flags = (await admin.get(base(challenge))).json().flags
    expect([flags.length, flags[599].attachment.url]).toEqual([600, 'https://x.org/599'])
  })
})

describe('the common attachment', () => {
  const set = (challenge: { gameId: number; id: number }, body: object) => admin.post(`${base(challenge)}/attachment`, body)

  test('an admin sets, replaces and removes the attachment, and the old file is deleted', async () => {
    const challenge = await aChallenge(context.db)
    const [one, two] = await uploadFiles('common one', 'common two')
    await set(challenge, { attachmentType: 'Local', fileHash: one!.hash })
    expect((await admin.get(base(challenge))).json().attachment).toEqual({
      id: expect.any(Number),
      type: 'Local',
      url: `/assets/${one!.hash}/common%20one.zip`,
      fileSize: 10,
    })
    await set(challenge, { attachmentType: 'Local', fileHash: two!.hash })
    expect(await referencesOf(one!.hash)).toBeUndefined()
    await set(challenge, { attachmentType: 'Remote', remoteUrl: 'https://x.org/a' })
    expect(await referencesOf(two!.hash)).toBeUndefined()
    expect((await admin.get(base(challenge))).json().attachment).toMatchObject({ type: 'Remote', url: 'https://x.org/a' })
    await set(challenge, { attachmentType: 'None' })
    expect((await admin.get(base(challenge))).json().attachment).toBeNull()
  })

  test('the file remains stored if an admin sets the same file again', async () => {
    const challenge = await aChallenge(context.db)
    const [file] = await uploadFiles('the same again')
    await set(challenge, { attachmentType: 'Local', fileHash: file!.hash })
    await set(challenge, { attachmentType: 'Local', fileHash: file!.hash })
    expect((await admin.get(`/assets/${file!.hash}/x`)).statusCode).toBe(200)
    await set(challenge, {})
    expect(await referencesOf(file!.hash)).toBeUndefined()
  })

  test('another challenge can use the same file, which remains stored until both challenges release it', async () => {
    const [first, second] = [await aChallenge(context.db), await aChallenge(context.db)]
    const [file] = await uploadFiles('for two')
    await set(first, { attachmentType: 'Local', fileHash: file!.hash })
    await set(second, { attachmentType: 'Local', fileHash: file!.hash })
    await admin.delete(base(first))
    expect((await admin.get(`/assets/${file!.hash}/x`)).statusCode).toBe(200)
    await admin.delete(base(second))
    expect((await admin.get(`/assets/${file!.hash}/x`)).statusCode).toBe(404)
  })

  test('refuses an attachment for the type DynamicAttachment, an unknown file and an unknown challenge', async () => {
    const dynamic = await aChallenge(context.db, { type: 'DynamicAttachment' })
    expect((await set(dynamic, { attachmentType: 'None' })).json().code).toBe('challenge.attachment')
    const plain = await aChallenge(context.db)
    const unknownFile = await set(plain, { attachmentType: 'Local', fileHash: hashOf('never uploaded') })
    expect(unknownFile.json().code).toBe('file.unknown')
    expect((await set(plain, { attachmentType: 'Remote', remoteUrl: 'ftp://x' })).json().code).toBe('request.parameter')
    expect((await set({ ...plain, id: 999_999 }, {})).json().code).toBe('challenge.unknown')
  })
})

describe('patterns and case-insensitive flags', () => {
  const rules = [
    { flag: String.raw`flag\{[a-f0-9]{8}\}`, kind: 'Pattern' },
    { flag: ' flag{Any} ', kind: 'Caseless' },
    { flag: 'flag{one}', kind: 'Exact' },
  ]

  test('`GET /flags/rules` returns only flags of the kinds Pattern and Caseless', async () => {
    const challenge = await aChallenge(context.db)
    const added = await admin.post(`${base(challenge)}/flags/rules`, rules)
    expect([added.statusCode, added.json()]).toEqual([
      200,
      [
        { id: expect.any(Number), flag: rules[0]!.flag, kind: 'Pattern' },
        { id: expect.any(Number), flag: 'flag{Any}', kind: 'Caseless' },
      ],
    ])
    expect((await admin.get(`${base(challenge)}/flags/rules`)).json()).toEqual(added.json())
    const { flags } = (await admin.get(base(challenge))).json()
    expect(flags.map(({ flag }: { flag: string }) => flag)).toEqual([rules[0]!.flag, 'flag{Any}', 'flag{one}'])
    await admin.delete(`${base(challenge)}/flags/${added.json()[0].id}`)
    expect((await admin.get(`${base(challenge)}/flags/rules`)).json()).toHaveLength(1)
  })

  test('shows which flags match an answer, and does not store the answer', async () => {
    const challenge = await aChallenge(context.db)
    await admin.post(`${base(challenge)}/flags/rules`, rules)
    const [pattern, caseless, exact] = (await admin.get(base(challenge))).json().flags.map(({ id }: { id: number }) => id)
    const attempt = async (answer: string, draft?: object) =>
      (await admin.post(`${base(challenge)}/flags/try`, { answer, draft })).json()
    expect(await attempt('flag{0123abcd}')).toEqual({ matches: [pattern], draftMatches: null })
    expect(await attempt(' FLAG{ANY} ')).toEqual({ matches: [caseless], draftMatches: null })
    expect(await attempt('flag{one}', { flag: 'flag.*', kind: 'Pattern' })).toEqual({ matches: [exact], draftMatches: true })
    expect(await attempt('FLAG{ONE}', { flag: 'flag.*', kind: 'Pattern' })).toEqual({ matches: [], draftMatches: false })
    expect(await context.sql`select id from submissions where challenge_id = ${challenge.id}`).toEqual([])
  })

  test('a rejudge also compares submissions with patterns', async () => {
    const game = await aGame(context.db)
    const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{old}'] })
    const participation = await aParticipation(context.db, { gameId: game.id })
    await anAssignment(context.db, { participationId: participation.id, challengeId: challenge.id })
    await aSubmission(context.db, participation, challenge.id, { answer: 'flag{00000000}' })
    await admin.post(`${base(challenge)}/flags/rules`, rules)
    const report = await admin.put(`/api/edit/games/${game.id}/challenges/${challenge.id}/recalculatesubmissions`)
    expect(report.json()).toEqual({ total: 1, changed: 1, accepted: 1 })
  })

  test.each([
    ['a pattern that looks ahead', 'StaticAttachment', [{ flag: 'a(?=b)', kind: 'Pattern' }], 'flag.pattern'],
    ['a pattern that grows too large', 'StaticAttachment', [{ flag: '((a?){10}){100}', kind: 'Pattern' }], 'flag.pattern'],
    ['a text that is longer than flags', 'StaticAttachment', [{ flag: 'a'.repeat(128), kind: 'Caseless' }], 'request.invalid'],
    ['a kind for a challenge with a flag per team', 'DynamicAttachment', [{ flag: 'a', kind: 'Caseless' }], 'flag.rules'],
    ['21 of them', 'StaticContainer', Array.from({ length: 21 }, () => ({ flag: 'a', kind: 'Caseless' })), 'request.invalid'],
  ] as const)('%s is refused, and nothing is stored', async (_, type, body, code) => {
    const challenge = await aChallenge(context.db, { type })
    const response = await admin.post(`${base(challenge)}/flags/rules`, body)
    expect([response.statusCode, response.json().code]).toEqual([400, code])
    expect((await admin.get(base(challenge))).json().flags).toEqual([])
  })

  test('a challenge can have at most twenty patterns and case-insensitive flags, even after two concurrent calls', async () => {
    const challenge = await aChallenge(context.db)
    const add = () =>
      admin.post(
        `${base(challenge)}/flags/rules`,
        Array.from({ length: 15 }, (_, index) => ({ flag: `flag ${index}`, kind: 'Caseless' })),
      )
    const codes = (await Promise.all([add(), add()])).map((response) => response.statusCode).sort()
    expect(codes).toEqual([200, 400])
    expect((await admin.get(`${base(challenge)}/flags/rules`)).json()).toHaveLength(15)
  })
})
