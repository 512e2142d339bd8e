import type { ImportPreview } from '@capstan/contract/exchange'
import { challenges } from '@capstan/db/schema/challenges'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { createRawZip, type RawEntry } from '../archives/testing/raw-zip.ts'
import { createChallengeFileText } from '../archives/testing/zip.ts'

let context: TestApp
let admin: TestClient
let gameId: number
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
beforeEach(async () => {
  gameId = (await aGame(context.db)).id
})
afterAll(() => context.close())

function send(path: string, content: Buffer) {
  return admin.upload('POST', `/api/edit/games/${path}`, [{ field: 'file', name: 'a.zip', content }])
}
async function edit(id: number, challengeId: number) {
  return (await admin.get(`/api/edit/games/${id}/challenges/${challengeId}`)).json()
}

async function upload(name: string): Promise<string> {
  const response = await admin.upload('POST', '/api/assets', [{ field: 'files', name, content: Buffer.from(name) }])
  return response.json()[0].hash
}

/** Fields of a challenge that export and import must retain. */
async function visible(id: number, challengeId: number) {
  const { title, category, content, hints, flags, attachment } = await edit(id, challengeId)
  return { title, category, content, hints, flags: flags.map(({ flag }: { flag: string }) => flag), url: attachment?.url ?? null }
}

const stems = [
  'con',
  'Aux',
  'NUL',
  'com1',
  'lpt9',
  'COM²',
  'conin$',
  'capstan',
  'challenge',
  'Makefile',
  'makefile',
  'café',
  'cafe\u0301',
  'images',
  'files',
]
const oddTitle = fc.oneof(
  fc.constantFrom(...stems, 'PRN', 'flag\u202egpj', '...', 'a. ', '旗', '\u200f', 'CON', '-', 'Images'),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .filter((title) => title.trim() !== '' && !/[\p{Cc}\p{Cs}]/u.test(title)),
)
const oddFile = fc
  .tuple(
    fc.constantFrom(
      ...stems,
      '.env',
      '.gitattributes',
      'Dockerfile',
      'invoice\u202efdp',
      'a b',
      '#as=',
      '50%',
      'x(1)',
      "it's",
      '旗',
      'n'.repeat(190),
    ),
    fc.constantFrom('', '.', '.c', '.txt', '.yaml', '.YML', '.json', '.png', '.tar.gz', '. .', '.\u200b'),
  )
  .map((parts) => parts.join(''))

describe('export and import', () => {
  test('export and import retain odd titles and file names', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ title: oddTitle, files: fc.array(oddFile, { maxLength: 3 }), image: oddFile }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (wanted) => {
          const from = (await aGame(context.db)).id
          const ids: number[] = []
          for (const { title, files, image } of wanted) {
            const made = await admin.post(`/api/edit/games/${from}/challenges`, {
              title,
              category: 'Misc',
              type: 'StaticAttachment',
            })
            const { id } = made.json()
            ids.push(id)
            const [attached] = files
            const pictures = await Promise.all(
              [image, ...files].map(async (name) => `![](/assets/${await upload(name)}/${encodeURIComponent(name)})`),
            )
            await admin.put(`/api/edit/games/${from}/challenges/${id}`, { content: pictures.join('\n') })
            await admin.post(`/api/edit/games/${from}/challenges/${id}/flags`, [{ flag: 'flag{a}' }])
            if (attached !== undefined)
              await admin.post(`/api/edit/games/${from}/challenges/${id}/attachment`, {
                attachmentType: 'Local',
                fileHash: await upload(attached),
              })
          }
          const exported = await admin.get(`/api/edit/games/${from}/challenges/export`)
          expect(exported.statusCode).toBe(200)
          const to = (await aGame(context.db)).id
          const imported = await send(`${to}/challenges/import`, exported.rawPayload)
          expect([imported.statusCode, imported.body]).toEqual([200, expect.any(String)])
          const rows = await context.db.select().from(challenges).where(eq(challenges.gameId, to))
          const before = await Promise.all(ids.map((id) => visible(from, id)))
          const after = await Promise.all(rows.map(({ id }) => visible(to, id)))
          const sorted = (all: object[]) => all.map((each) => JSON.stringify(each)).sort()
          expect(sorted(after)).toEqual(sorted(before))
        },
      ),
      { numRuns: 12 },
    )
  })
})

async function preview(entries: readonly RawEntry[]): Promise<ImportPreview> {
  const response = await send(`${gameId}/challenges/import/preview`, createRawZip(entries))
  expect([response.statusCode, response.body]).toEqual([200, expect.any(String)])
  return response.json()
}

const link = 0o120777

describe('an archive with an unreadable entry', () => {
  const handsOut = (more: string) => ({ name: 'web/a/capstan.yaml', content: createChallengeFileText('A', more) })

  test.each<[string, readonly RawEntry[], string]>([
    ['a link', [{ name: 'web/lib/libc.so', mode: link, content: 'libc-2.31.so' }], 'web/lib/libc.so'],
    ['a name of a Windows device', [{ name: 'linux/drivers/aux.c' }], 'linux/drivers/aux.c'],
    ['names that differ by case', [{ name: 'web/Makefile' }, { name: 'web/makefile' }], 'web/makefile'],
    ['a name with a change of direction', [{ name: 'web/\u202efdp.exe' }], 'web/\ufffdfdp.exe'],
    ['a path above the root', [{ name: '../up.txt' }], '../up.txt'],
    ['an absolute path', [{ name: '/etc/passwd' }], '/etc/passwd'],
  ])('an archive is imported with a finding about %s', async (_, odd, path) => {
    const entries = [handsOut('attachments: [{ file: fine.txt }]'), { name: 'web/a/fine.txt' }, ...odd]
    const { challenges: shown, findings } = await preview(entries)
    expect(findings).toMatchObject([
      { file: path, outcome: 'left-out', why: expect.stringMatching(/^It .*\.$/), advice: expect.any(String) },
    ])
    expect(shown).toMatchObject([{ title: 'A', isRefused: false }])
    expect((await send(`${gameId}/challenges/import`, createRawZip(entries))).statusCode).toBe(200)
  })

  test.each([
    'attachments: [{ file: src/aux.c }]',
    'attachments: [{ file: src }]',
    'attachments: [{ file: src/good.c }, { file: ./src/aux.c, as: a.c }]',
  ])('if challenge A uses an unreadable entry as a file, the preview refuses A and accepts B: %s', async (more) => {
    const { challenges: shown, findings } = await preview([
      handsOut(more),
      { name: 'web/a/src/aux.c' },
      { name: 'web/a/src/good.c' },
      { name: 'web/b/capstan.yaml', content: createChallengeFileText('B') },
    ])
    expect(findings).toHaveLength(1)
    expect(shown).toMatchObject([
      {
        isRefused: true,
        findings: [expect.objectContaining({ outcome: 'refused', why: expect.stringContaining('src/aux.c') })],
      },
      { title: 'B', isRefused: false },
    ])
  })

  test('the preview refuses a `challenge.yaml` if one of the provided files is a symbolic link', async () => {
    const content = ['name: Guess', 'category: misc', 'description: Guess', 'flag: flag{g}', 'provide: [./dist/libc.so]'].join(
      '\n',
    )
    const { challenges: shown } = await preview([
      { name: 'misc/g/challenge.yaml', content },
      { name: 'misc/g/dist/libc.so', mode: link },
    ])
    expect(shown[0]?.findings).toContainEqual(expect.objectContaining({ outcome: 'refused' }))
    expect(shown).toMatchObject([{ isRefused: true }])
  })

  test('a preview contains a limited number of findings about unreadable entries', async () => {
    const odd = Array.from({ length: 300 }, (_, index) => ({ name: `x/${index}/aux.c` }))
    const { findings } = await preview([handsOut(''), ...odd])
    expect(findings).toHaveLength(201)
    expect(findings?.at(-1)).toMatchObject({ why: '100 more entries are not read.' })
  })
})
