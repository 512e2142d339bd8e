import { createHash } from 'node:crypto'
import { maxDescriptors } from '@capstan/challenge-files/importers/import'
import type { ImportPreview } from '@capstan/contract/exchange'
import { ImportLimits, Limits } from '@capstan/contract/limits'
import { challenges, flags } from '@capstan/db/schema/challenges'
import { games } from '@capstan/db/schema/games'
import { files } from '@capstan/db/schema/platform'
import { eq } from 'drizzle-orm'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { image } from '../../testing/suite/world.ts'
import { createChallengeFileText, createPackageZip, createZipFile } from '../archives/testing/zip.ts'

let context: TestApp
let admin: TestClient
let gameId: number
beforeAll(async () => {
  context = await startTestApp({ config: { maxAttachmentBytes: 1024 * 1024 } })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
beforeEach(async () => {
  gameId = (await aGame(context.db)).id
})
afterAll(() => context.close())

function send(path: string, content: Buffer) {
  return admin.upload('POST', `/api/edit/games/${path}`, [{ field: 'file', name: 'a.zip', content }])
}
async function preview(content: Buffer): Promise<ImportPreview> {
  return (await send(`${gameId}/challenges/import/preview`, content)).json()
}
function importAll(content: Buffer, query = '') {
  return send(`${gameId}/challenges/import${query}`, content)
}
function challengesOf(id: number) {
  return context.db.select().from(challenges).where(eq(challenges.gameId, id)).orderBy(challenges.id)
}
async function edit(id: number, challengeId: number) {
  return (await admin.get(`/api/edit/games/${id}/challenges/${challengeId}`)).json()
}
function hashOf(content: string) {
  return createHash('sha256').update(content).digest('hex')
}
async function counts() {
  return {
    games: (await context.db.select().from(games)).length,
    challenges: (await context.db.select().from(challenges)).length,
    files: (await context.db.select().from(files)).length,
  }
}

const rcds = ['name: Guess', 'category: misc', 'description: Guess it', 'flag: flag{guess}', 'value: 100', 'sortWeight: 3'].join(
  '\n',
)

describe('an archive of challenges', () => {
  test('lists the challenges in a preview, which creates no challenge', async () => {
    const before = await counts()
    const archive = createZipFile({
      'web/own/capstan.yaml': createChallengeFileText('Own'),
      'misc/guess/challenge.yaml': rcds,
      'readme.md': 'hello',
    })
    const shown = await preview(archive)
    expect(shown).toMatchObject({
      digest: createHash('sha256').update(archive).digest('hex'),
      fileCount: 3,
      game: null,
      challenges: [
        { position: 0, dialect: 'rcds', title: 'Guess', category: 'Misc', originalScore: 100, minScore: 100, flagCount: 1 },
        { position: 1, dialect: 'capstan', title: 'Own', type: 'StaticAttachment', isRefused: false, isKnown: false },
      ],
    })
    expect(shown.challenges[0]!.findings).toEqual([
      {
        file: 'misc/guess/challenge.yaml',
        line: 6,
        field: 'sortWeight',
        outcome: 'left-out',
        why: 'Players choose the order.',
        advice: null,
      },
      {
        file: 'misc/guess/challenge.yaml',
        line: 1,
        field: 'enabled',
        outcome: 'converted',
        why: 'The challenge is imported disabled.',
        advice: 'Test it, then enable it.',
        repair: 'enable',
      },
    ])
    expect(await counts()).toEqual(before)
  })

  test('an import creates disabled challenges with all files, pictures and flags', async () => {
    const more = 'hints: [{ text: Look }]\nattachments: [{ file: a.txt, as: given.txt }]\n'
    const archive = createZipFile({
      'web/own/capstan.yaml': createChallengeFileText('Whole', more).replace(
        'Find it.',
        '"![seen](pictures/x.png) and ![not](../../../x.png)"',
      ),
      'web/own/a.txt': 'the file',
      'web/own/pictures/x.png': 'a picture',
    })
    const response = await importAll(archive)
    expect(response.json()).toEqual({ challenges: [{ id: expect.any(Number), title: 'Whole', category: 'Web' }] })
    const { title } = (await admin.get(`/api/edit/games/${gameId}`)).json()
    expect(context.logLines.map(({ message }) => message)).toContain(`Imported 1 challenge into "${title}"`)
    const made = await edit(gameId, response.json().challenges[0].id)
    expect(made).toMatchObject({
      title: 'Whole',
      isEnabled: false,
      hints: ['Look'],
      flags: [{ flag: 'flag{found}' }],
      content: `![seen](/assets/${hashOf('a picture')}/x.png) and ![not](../../../x.png)`,
      attachment: { type: 'Local', url: `/assets/${hashOf('the file')}/given.txt` },
    })
    expect((await admin.get(`/assets/${hashOf('the file')}/given.txt`)).body).toBe('the file')
  })

  test('packs several files of an attachment into one file', async () => {
    const more = 'attachments: [{ file: a.txt }, { file: more }]\n'
    const archive = createZipFile({
      'o/capstan.yaml': createChallengeFileText('Several', more),
      'o/a.txt': 'A',
      'o/more/b.txt': 'B',
    })
    const { id } = (await importAll(archive)).json().challenges[0]
    const { attachment } = await edit(gameId, id)
    const packed = unzipSync((await admin.get(attachment.url)).rawPayload)
    expect(Object.fromEntries(Object.entries(packed).map(([name, bytes]) => [name, strFromU8(bytes)]))).toEqual({
      'a.txt': 'A',
      'b.txt': 'B',
    })
  })

  test('an import of chosen challenges creates no other challenges', async () => {
    const archive = createZipFile({
      'a/capstan.yaml': createChallengeFileText('A'),
      'b/capstan.yaml': createChallengeFileText('B'),
      'c/capstan.yaml': createChallengeFileText('C'),
    })
    const { digest } = await preview(archive)
    const response = await importAll(archive, `?digest=${digest}&take=0,2`)
    expect(response.json().challenges.map(({ title }: { title: string }) => title)).toEqual(['A', 'C'])
  })

  test('an import is refused if the archive differs from the preview or a chosen challenge cannot be read', async () => {
    const archive = createZipFile({ 'a/capstan.yaml': createChallengeFileText('A'), 'b/capstan.yaml': 'kind: Challenge\n' })
    expect((await importAll(archive, `?digest=${'0'.repeat(64)}`)).json().code).toBe('import.changed')
    expect((await importAll(archive, '?take=0-1')).json().code).toBe('request.parameter')
    expect((await importAll(archive, '?take=7')).json().code).toBe('request.parameter')
    expect(await challengesOf(gameId)).toEqual([])
  })

  test('an import leaves no data behind if one of the files is too large', async () => {
    const before = await counts()
    const more = 'attachments: [{ file: large.bin }]\n'
    const archive = createZipFile({
      'a/capstan.yaml': createChallengeFileText('A', 'attachments: [{ file: small.txt }]\n'),
      'a/small.txt': 'small',
      'b/capstan.yaml': createChallengeFileText('B', more),
      'b/large.bin': new Uint8Array(context.deps.config.maxAttachmentBytes + 1),
    })
    expect((await importAll(archive)).json().code).toBe('file.too-large')
    expect(await counts()).toEqual(before)
  })
})

test('an archive is accepted even if earlier archives could not be read', async () => {
  const archive = createZipFile({ 'a/capstan.yaml': createChallengeFileText('A') })
  vi.stubEnv('TMPDIR', '/nowhere/at/all')
  for (let tries = 0; tries < Limits.maxConcurrentImports; tries += 1) expect((await importAll(archive)).statusCode).toBe(500)
  vi.unstubAllEnvs()
  expect((await importAll(archive)).statusCode).toBe(200)
})

test('limits the findings in a preview', async () => {
  const unknown = Array.from({ length: 2_000 }, (_, index) => `unknown${index}: 1`).join('\n')
  const archive = createZipFile(
    Object.fromEntries(Array.from({ length: 2 }, (_, index) => [`${index}/challenge.yaml`, `${rcds}\n${unknown}`])),
  )
  const shown = await preview(archive)
  const findingCounts = shown.challenges.map(({ findings }) => findings.length)
  expect(Math.max(...findingCounts)).toBeLessThanOrEqual(ImportLimits.findingsOfChallenge + 1)
  expect(shown.challenges[0]?.findings.at(-1)?.why).toContain('more')
})

test('refuses a package with too many challenges', async () => {
  const challenge = JSON.stringify({ id: 1, title: 'One of many', category: 'Web', type: 'StaticAttachment' })
  const many = Object.fromEntries(
    Array.from({ length: maxDescriptors + 1 }, (_, index) => [`challenges/challenge-${index + 10}.json`, challenge]),
  )
  expect((await send('import', createPackageZip({}, {}, many))).json().code).toBe('import.archive')
})

test('refuses a challenge if the addresses of pictures make its description too long', async () => {
  const names = Array.from({ length: 3_500 }, (_, index) => index.toString(36))
  const pictures = Object.fromEntries(names.map((name) => [`a/${name}`, name]))
  const text = names.map((name) => `![](${name})`).join('')
  const archive = createZipFile({ 'a/capstan.yaml': createChallengeFileText('A').replace('Find it.', `"${text}"`), ...pictures })
  expect((await preview(archive)).challenges[0]).toMatchObject({ isRefused: true, findings: [{ field: 'description' }] })
  expect((await importAll(archive, '?take=0')).statusCode).toBe(400)
})

describe('a container and flags of an archive', () => {
  const rowsOf = async (id: number) => {
    const [row] = await challengesOf(id)
    const rules = await context.db.select().from(flags).where(eq(flags.challengeId, row!.id)).orderBy(flags.id)
    return { row: row!, rules: rules.map(({ flag, kind }) => [kind, flag]) }
  }
  const container = [
    'container:',
    '  image: registry.example/x:1',
    '  ports: [{ port: 80, speaks: http, guarded: true }, { port: 81 }]',
    '  command: [/bin/serve]',
    '  environment: { MODE: hard, KEY: { secret: CI_KEY } }',
    '  flag: { file: { path: /flag, mode: "0444", owner: 7 } }',
    '  user: 7',
    '  egress: Dns',
    '  writablePaths: [{ path: /tmp, sizeMb: 4 }]',
    '  capture: true',
  ].join('\n')
  const ruled = (text: string) =>
    text.replace(
      /flags:.*/,
      'flags: [{ text: "flag{found}" }, { text: "flag{Any}", ignoreCase: true }, { pattern: "flag[0-9]", ignoreCase: true }, { pattern: "(?=no)" }]',
    )

  test('container and flags are stored without secrets, and a finding reports the name of each secret', async () => {
    const archive = createZipFile({ 'a/capstan.yaml': ruled(createChallengeFileText('Run', container)) })
    const shown = await preview(archive)
    expect(shown.challenges[0]!.findings.map(({ field, outcome }) => [field, outcome])).toEqual([
      ['flags[3]', 'left-out'],
      ['container.environment.KEY', 'left-out'],
    ])
    expect((await importAll(archive)).statusCode).toBe(200)
    const { row, rules } = await rowsOf(gameId)
    expect(row).toMatchObject({ speaks: 'http', isGuarded: true, isRawHttp: false, capture: true, containerSecrets: {} })
    expect(row.container).toEqual({
      command: ['/bin/serve'],
      environment: [{ name: 'MODE', value: 'hard' }],
      flag: { variables: [], file: { path: '/flag', owner: 7 } },
      user: 7,
      egress: 'Dns',
      furtherPorts: [81],
      writablePaths: [{ path: '/tmp', sizeMb: 4 }],
    })
    expect(rules).toEqual([
      ['Exact', 'flag{found}'],
      ['Caseless', 'flag{Any}'],
      ['Pattern', '(?i)flag[0-9]'],
    ])
  })

  test('export and import as challenge files retain container and flags', async () => {
    await importAll(createZipFile({ 'a/capstan.yaml': ruled(createChallengeFileText('Run', container)) }))
    const before = await rowsOf(gameId)
    await context.db
      .update(challenges)
      .set({ containerSecrets: { KEY: 'hidden-value' } })
      .where(eq(challenges.id, before.row.id))
    const exported = await admin.get(`/api/edit/games/${gameId}/challenges/export`)
    const text = Object.values(unzipSync(exported.rawPayload))
      .map((bytes) => strFromU8(bytes))
      .join('\n')
    expect(text).toContain('secret: KEY')
    expect(text).not.toContain('hidden-value')
    const { id: other } = await aGame(context.db)
    expect((await send(`${other}/challenges/import`, exported.rawPayload)).statusCode).toBe(200)
    const { row, rules } = await rowsOf(other)
    expect({ ...row, id: 0, gameId: 0 }).toEqual({ ...before.row, id: 0, gameId: 0 })
    expect(rules).toEqual(before.rules)
  })

  test('settings that this platform does not allow are not imported', async () => {
    const archive = createZipFile({
      'a/capstan.yaml': createChallengeFileText(
        'Asks',
        'container: { image: x, ports: [{ port: 80, guarded: true }], exposure: NodePort, user: 7, readiness: { port: 9 }, environment: { TEAM_ID: x, MODE: hard } }',
      ),
    })
    const shown = await preview(archive)
    expect(shown.challenges[0]!.findings.map(({ field, outcome }) => [field, outcome])).toEqual([
      ['container.ports[0].guarded', 'left-out'],
      ['container.environment.0.name', 'left-out'],
      ['container.readiness.port', 'left-out'],
      ['container.exposure', 'left-out'],
    ])
    expect((await importAll(archive)).statusCode).toBe(200)
    const { row } = await rowsOf(gameId)
    expect([row.container, row.isGuarded]).toEqual([{ user: 7, environment: [{ name: 'MODE', value: 'hard' }] }, false])
  })

  const nameOfChallenge = (name: string) => name.startsWith('challenges/')
  const parsed = (bytes: Uint8Array) => JSON.parse(strFromU8(bytes))

  test('an import of an exported package creates a challenge with the same containers and flags', async () => {
    const several = [
      'containers:',
      '  - { name: front, image: a, ports: [{ port: 80, speaks: http }], networks: [inner], capture: all, user: 7 }',
      '  - { name: store, image: b, networks: [{ name: inner, aliases: [db] }], environment: { KEY: { secret: CI_KEY } }, receivesFlag: true }',
    ].join('\n')
    await importAll(createZipFile({ 'a/capstan.yaml': ruled(createChallengeFileText('Run', several)) }))
    const before = await rowsOf(gameId)
    await context.db
      .update(challenges)
      .set({ furtherContainerSecrets: { store: { KEY: 'hidden-value' } } })
      .where(eq(challenges.id, before.row.id))
    const exported = await admin.post(`/api/edit/games/${gameId}/export`)
    const [content = new Uint8Array()] = Object.entries(unzipSync(exported.rawPayload)).flatMap(([name, bytes]) =>
      nameOfChallenge(name) ? [bytes] : [],
    )
    expect(strFromU8(content)).not.toContain('hidden-value')
    expect(parsed(content).flags.static.map(({ value }: { value: string }) => value)).toEqual(['flag{found}', 'flag{Any}'])
    const { id: other } = await aGame(context.db)
    const shown = await send(`${other}/challenges/import/preview`, exported.rawPayload)
    expect(shown.json().challenges[0].findings.map(({ field }: { field: string }) => field)).toContain(
      'containers[1].environment.KEY',
    )
    expect((await send(`${other}/challenges/import`, exported.rawPayload)).statusCode).toBe(200)
    const { row, rules } = await rowsOf(other)
    expect({ ...row, id: 0, gameId: 0 }).toEqual({ ...before.row, id: 0, gameId: 0 })
    expect(rules).toEqual(before.rules)
  })

  test('an import accepts the edits of programs that support only one container', async () => {
    await importAll(createZipFile({ 'a/capstan.yaml': ruled(createChallengeFileText('Run', container)) }))
    const files = unzipSync((await admin.post(`/api/edit/games/${gameId}/export`)).rawPayload)
    const changed = Object.entries(files).map(([name, bytes]) => {
      if (!nameOfChallenge(name)) return [name, bytes] as const
      const challenge = parsed(bytes)
      const edited = { ...challenge.container, image: 'registry.example/x:2', memoryLimit: 96 }
      const flags = { ...challenge.flags, enableTrafficCapture: false, patterns: [{ value: '(?=no)' }] }
      return [name, strToU8(JSON.stringify({ ...challenge, container: edited, flags }))] as const
    })
    const { id: other } = await aGame(context.db)
    expect((await send(`${other}/challenges/import`, Buffer.from(zipSync(Object.fromEntries(changed))))).statusCode).toBe(200)
    const { row, rules } = await rowsOf(other)
    expect(row).toMatchObject({ containerImage: 'registry.example/x:2', memoryMb: 96, capture: false })
    expect(row.container).toMatchObject({ user: 7, egress: 'Dns', furtherPorts: [81] })
    expect(rules.map(([kind]) => kind)).toEqual(['Exact', 'Caseless'])
  })
})

describe('an export as challenge files', () => {
  test('an export can be imported again, and the new challenges equal the exported challenges', async () => {
    const more = [
      'hints: [Look, { text: Look closer, price: 20 }, { text: Once more, cost: 5 }]',
      'tags: [heap, Crypto 101]',
      'difficulty: hard',
      'bloods: false',
      'score: { points: 300, minimumShare: 0.1, difficulty: 7.5, curve: parabola, fixed: true }',
      'attachments: [{ file: "a b.txt" }]',
      'container: { image: "registry.example/x:1", ports: [{ port: 1337, speaks: http }], cpu: 0.5, memoryMb: 128, storageMb: 512 }',
    ].join('\n')
    const archive = createZipFile({
      'o/capstan.yaml': createChallengeFileText('Round trip', more).replace('Find it.', '"![x](x.png)"'),
      'o/a b.txt': 'A',
      'o/x.png': 'picture',
      'p/capstan.yaml': createChallengeFileText('Files', '').replace(
        /flags:.*/,
        'flags: [{ text: one, attachment: { file: 1.txt } }, { text: two, attachment: { file: 2.txt } }]',
      ),
      'p/1.txt': '1',
      'p/2.txt': '2',
      'q/capstan.yaml': createChallengeFileText('Round trip', 'container: { image: y, ports: [{ port: 1 }] }').replace(
        /flags:.*/,
        'flags: [{ template: "flag{[GUID]}" }]',
      ),
    })
    expect((await importAll(archive)).statusCode).toBe(200)
    const exported = await admin.get(`/api/edit/games/${gameId}/challenges/export`)
    expect(exported.headers['content-disposition']).toMatch(/-challenges-\d{8}-\d{6}\.zip"/)
    const { id: other } = await aGame(context.db)
    const again = await send(`${other}/challenges/import`, exported.rawPayload)
    expect(again.statusCode).toBe(200)
    const plain = async (id: number) => {
      const rows = await challengesOf(id)
      const whole = await Promise.all(
        rows.map(async (row) => ({
          ...(await edit(id, row.id)),
          labels: [row.tags, row.difficulty, row.hasBloods, row.curve, row.isValueFixed],
          prices: row.pricedHints.map(({ text, price }) => [text, price]),
        })),
      )
      return whole
        .map(({ id: _id, flags, attachment, ...rest }) => ({
          ...rest,
          attachment: attachment?.url ?? null,
          flags: flags.map((flag: { flag: string; attachment: { url: string } | null }) => [
            flag.flag,
            flag.attachment?.url ?? null,
          ]),
        }))
        .sort((a, b) => (a.title + a.type < b.title + b.type ? -1 : 1))
    }
    const copies = await plain(other)
    expect(copies).toEqual(await plain(gameId))
    expect(copies.map(({ labels }) => labels)).toContainEqual([['heap', 'Crypto 101'], 'hard', false, 'parabola', true])
    expect(copies.map(({ prices }) => prices)).toContainEqual([
      ['Look closer', 20],
      ['Once more', 5],
    ])
  })
})

describe('prerequisites', () => {
  const archive = createZipFile({
    'a/capstan.yaml': createChallengeFileText('Alpha', 'unlock: { after: [beta, elsewhere], count: 1, locked: Hidden }'),
    'b/capstan.yaml': createChallengeFileText('Beta'),
  })
  const titlesOf = async (id: number) => {
    const rows = await challengesOf(id)
    const titleOf = (wanted: number) => rows.find((row) => row.id === wanted)?.title
    return rows.map(({ title, unlockRule }) => [title, unlockRule?.after.map(titleOf), unlockRule?.locked])
  }
  const linked = [
    ['Alpha', ['Beta'], 'Hidden'],
    ['Beta', undefined, undefined],
  ]

  test('export and import as folders or as a package retain prerequisites, and unknown prerequisites are reported', async () => {
    const { challenges: listed } = await preview(archive)
    expect(listed[0]?.findings).toMatchObject([{ field: 'unlock.after', outcome: 'left-out' }])
    expect((await importAll(archive)).statusCode).toBe(200)
    expect(await titlesOf(gameId)).toEqual(linked)
    const { id: other } = await aGame(context.db)
    const folders = await admin.get(`/api/edit/games/${gameId}/challenges/export`)
    expect((await send(`${other}/challenges/import`, folders.rawPayload)).statusCode).toBe(200)
    expect(await titlesOf(other)).toEqual(linked)
    const packed = await admin.post(`/api/edit/games/${gameId}/export`)
    expect(await titlesOf((await send('import', packed.rawPayload)).json())).toEqual(linked)
  })

  test('an import of only the dependent challenge drops its prerequisites', async () => {
    expect((await importAll(archive, '?take=0')).statusCode).toBe(200)
    expect(await titlesOf(gameId)).toEqual([['Alpha', undefined, undefined]])
  })

  test('an archive whose prerequisites form a cycle is refused, and nothing is imported', async () => {
    const circle = createZipFile({
      'a/capstan.yaml': createChallengeFileText('Alpha', 'unlock: { after: [beta] }'),
      'b/capstan.yaml': createChallengeFileText('Beta', 'unlock: { after: [alpha] }'),
    })
    const refused = await importAll(circle)
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'challenge.unlock-cycle'])
    expect(await challengesOf(gameId)).toEqual([])
  })
})

describe('the package of a game', () => {
  test('the package of a game is imported as a hidden game with disabled challenges', async () => {
    const content = 'the file'
    const attachment = { type: 'Local', hash: hashOf(content), fileName: 'task.txt', fileSize: 8 }
    const poster = createHash('sha256').update(image).digest('hex')
    const withoutBloods = { disableBloodBonus: true, static: [{ value: 'flag{inside}' }] }
    const scoring = { original: 500, minRate: 0.2, difficulty: 50, curve: 'linear', fixed: true }
    const archive = createPackageZip(
      {
        hidden: false,
        practiceMode: true,
        inviteCode: 'secret',
        posterHash: poster,
        bloodBonus: { first: 50, second: 30, third: 10 },
        bloodPoints: { first: 100, second: 50, third: 25 },
        allowsDebt: true,
        registrationOpens: '2026-01-01T00:00:00Z',
        registrationCloses: '2026-01-02T00:00:00Z',
        teamLimit: 64,
        survey: 'Anonymous',
        questions: [{ scope: 'Team', kind: 'Choice', title: 'Shirt size', required: true, options: ['S', 'M'] }],
        divisions: [{ name: 'Students', inviteCode: 'students1', defaultPermissions: ['All'] }],
      },
      {
        ...{ enabled: true, attachment, hints: ['a hint', 'another'], hintPrices: [0, 40] },
        ...{ tags: ['xss', 'XSS'], difficulty: 'insane', flags: withoutBloods, scoring },
        unlock: { after: [999], count: null, points: 300, locked: 'Hidden' },
      },
      { [`files/${hashOf(content)}`]: content, [`files/${poster}`]: image as never },
    )
    const response = await send('import', archive)
    expect(response.statusCode).toBe(200)
    const id = response.json<number>()
    expect((await admin.get(`/api/edit/games/${id}`)).json()).toMatchObject({
      title: 'Packed',
      hidden: true,
      practiceMode: false,
      inviteCode: null,
      organizations: ['Students'],
      bloodBonus: 52_459_530,
      bloodPoints: { first: 100, second: 50, third: 25 },
      poster: expect.stringContaining('/assets/'),
    })
    const [made] = await challengesOf(id)
    expect(await edit(id, made!.id)).toMatchObject({
      title: 'Inside',
      isEnabled: false,
      flags: [{ flag: 'flag{inside}' }],
      attachment: { url: `/assets/${hashOf(content)}/task.txt` },
    })

    const exported = await admin.post(`/api/edit/games/${id}/export`)
    expect(exported.headers['content-type']).toBe('application/zip')
    const again = await send('import', exported.rawPayload)
    expect(again.statusCode).toBe(200)
    expect(await challengesOf(again.json())).toMatchObject([
      {
        title: 'Inside',
        type: 'StaticAttachment',
        tags: ['xss'],
        difficulty: 'insane',
        hasBloods: false,
        curve: 'linear',
        isValueFixed: true,
        unlockRule: { after: [], count: null, points: 300, locked: 'Hidden' },
        hints: ['a hint'],
        pricedHints: [{ text: 'another', price: 40 }],
      },
    ])
    expect((await admin.get(`/api/edit/games/${again.json()}`)).json()).toMatchObject({
      bloodPoints: { first: 100, second: 50, third: 25 },
      allowsDebt: true,
      registrationOpens: Date.UTC(2026, 0, 1),
      registrationCloses: Date.UTC(2026, 0, 2),
      teamLimit: 64,
      survey: 'Anonymous',
      questions: [{ scope: 'Team', kind: 'Choice', title: 'Shirt size', required: true, options: ['S', 'M'], archived: false }],
    })
  })

  test.each([
    [
      'a hash that does not match the content',
      { attachment: { type: 'Local', hash: 'a'.repeat(64) } },
      { [`files/${'a'.repeat(64)}`]: 'b' },
      'import.archive',
    ],
    ['content that is missing', { attachment: { type: 'Local', hash: 'a'.repeat(64) } }, {}, 'import.package'],
    ['an invalid challenge', { category: 'Cooking' }, {}, 'import.package'],
  ])('a package is refused for %s, and no data remains', async (_, challenge, content, code) => {
    const before = await counts()
    const response = await send('import', createPackageZip({}, challenge, content as Record<string, string>))
    expect([response.statusCode, response.json().code]).toEqual([400, code])
    expect(await counts()).toEqual(before)
  })

  test('a package without a game is refused', async () => {
    expect((await send('import', createZipFile({ 'a/capstan.yaml': createChallengeFileText('A') }))).json().code).toBe(
      'import.package',
    )
  })

  test('an import adds the challenges of a package to an existing game', async () => {
    expect((await preview(createPackageZip())).game).toBe('Packed')
    expect((await importAll(createPackageZip())).json().challenges).toHaveLength(1)
  })
})
