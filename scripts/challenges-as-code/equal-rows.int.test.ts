import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { createZipFile } from '@capstan/api/challenges/archives/testing/zip'
import { startTestApp, type TestApp, type TestClient } from '@capstan/api/testing/app'
import { signInAsNewUser } from '@capstan/api/testing/factories'
import { sampleTestCases } from '@capstan/api/testing/full-run'
import { aGame } from '@capstan/api/testing/organizing-factories'
import { examplesOfOthers } from '@capstan/challenge-files/testing/examples-of-others'
import { attachments, challenges, flags } from '@capstan/db/schema/challenges'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aFolder, aToken, createAppFetch, runCapstan, type Shell } from './testing/command.ts'
import { createExampleGameFiles, environment } from './testing/example-game.ts'

type Files = Readonly<Record<string, string | Uint8Array>>

let context: TestApp
let admin: TestClient
let shell: Shell
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
  // The commands that generate files of the demo game call `node`.
  const PATH = `${path.dirname(process.execPath)}:${process.env.PATH ?? ''}`
  shell = { send: createAppFetch(context), token: await aToken(context), environment: { ...environment, PATH } }
})
afterAll(() => context.close())

/**
 * Returns the rows of a game's challenges as a map from title to row. Ids are omitted. States are omitted because an
 * import disables the challenges.
 */
async function rowsOf(gameId: number) {
  const files = new Map((await context.db.select().from(attachments)).map((row) => [row.id, { ...row, id: 0 }]))
  const fileOf = (id: number | null) => (id === null ? null : files.get(id))
  const rules = await context.db.select().from(flags)
  const rows = (await context.db.select().from(challenges)).filter((row) => row.gameId === gameId)
  const titleOf = (wanted: number) => rows.find(({ id }) => id === wanted)?.title
  const whole = rows.map(({ id, gameId: _game, isEnabled: _enabled, isShown: _shown, attachmentId, ...row }) => {
    const own = rules.filter(({ challengeId }) => challengeId === id)
    const texts = own.map(({ flag, kind, attachmentId: file }) => JSON.stringify({ flag, kind, file: fileOf(file) }))
    const pricedHints = row.pricedHints.map(({ id: _id, ...hint }) => hint)
    const unlockRule = row.unlockRule && { ...row.unlockRule, after: row.unlockRule.after.map(titleOf) }
    return { ...row, pricedHints, unlockRule, attachment: fileOf(attachmentId), flags: texts.sort() }
  })
  return Object.fromEntries(whole.map((each) => [each.title, each]))
}

type Rows = Awaited<ReturnType<typeof rowsOf>>

async function applied(root: string): Promise<Rows> {
  const { id } = await aGame(context.db)
  expect(await runCapstan(shell, 'apply', '--game', String(id), root)).toMatchObject({ code: 0 })
  return rowsOf(id)
}

async function imported(files: Files): Promise<Rows> {
  const { id } = await aGame(context.db)
  const upload = [{ field: 'file', name: 'a.zip', content: createZipFile(files) }]
  const response = await admin.upload('POST', `/api/edit/games/${id}/challenges/import`, upload)
  expect([response.statusCode, response.body]).toEqual([200, expect.any(String)])
  return rowsOf(id)
}

/**
 * Replaces values that an import cannot know. They come from commands, environment variables or secrets on the author's machine.
 */
function withoutProvided(rows: Rows, provided: Readonly<Record<string, object>>): Rows {
  return Object.fromEntries(Object.entries(rows).map(([title, row]) => [title, { ...row, ...provided[title] }]))
}

function folderOf(root: string): Files {
  return Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => statSync(path.join(root, file)).isFile())
      .map((file) => [file, readFileSync(path.join(root, file))]),
  )
}

function own(more: string, { flags: given = '[{ text: "flag{found}" }]', description = 'Find it.' } = {}): string {
  return [
    'apiVersion: capstan/v1',
    'kind: Challenge',
    'name: own',
    'title: Own',
    'category: Web',
    `description: ${description}`,
    `flags: ${given}`,
    more,
  ].join('\n')
}

function container(more = '') {
  return `container: { image: " registry.example.org/x:1 ", ports: [{ port: 80, speaks: http }]${more} }`
}

describe('applying and importing a folder', () => {
  test.each<[string, Files]>([
    ['the type of a container without a template', { 'o/capstan.yaml': own(`type: StaticContainer\n${container()}`) }],
    ['the type of a container without flags', { 'o/capstan.yaml': own(container(), { flags: '[]' }) }],
    ['the type of files for each team', { 'o/capstan.yaml': own('type: DynamicAttachment\nattachmentName: chart.txt') }],
    [
      'the type of a container without a container',
      { 'o/capstan.yaml': own('type: DynamicContainer', { flags: '[{ template: "flag{[GUID]}" }]' }) },
    ],
    ['a container that its type does not run', { 'o/capstan.yaml': own(`type: StaticAttachment\n${container()}`) }],
    [
      'blanks around texts',
      { 'o/capstan.yaml': own('', { flags: '[{ text: " flag{a} " }]' }).replace('title: Own', 'title: " Own "') },
    ],
    ['a file name that only other types have', { 'o/capstan.yaml': own('attachmentName: other.txt') }],
    ['a template with blanks', { 'o/capstan.yaml': own(container(), { flags: '[{ template: " flag{[GUID]} " }]' }) }],
    [
      'a description in another folder, with an image next to it',
      {
        'o/capstan.yaml': own('', { description: '{ file: texts/d.md }' }),
        'o/texts/d.md': '# Title\r\n\r\n![x](a.png)\r\n\r\n',
        'o/texts/a.png': 'picture',
      },
    ],
    [
      'several files, a folder among them',
      {
        'o/capstan.yaml': own('attachments: [{ file: src }, { file: A.txt, as: b.txt }]'),
        'o/A.txt': 'A',
        'o/src/deep/er.c': 'int main;',
        'o/src/b.c': '',
      },
    ],
    ['a folder with one file', { 'o/capstan.yaml': own('attachments: [{ file: src }]'), 'o/src/deep/er.c': 'int main;' }],
    [
      'a file whose name on the platform contains a folder',
      { 'o/capstan.yaml': own('attachments: [{ file: a.txt, as: x/y.txt }]'), 'o/a.txt': 'A' },
    ],
    [
      'flags from files, of each kind, and with attachments',
      {
        'o/capstan.yaml': own('', {
          flags: '[{ file: f.txt }, { pattern: "a+", ignoreCase: true }, { text: "B", ignoreCase: true }]',
        }),
        'o/f.txt': ' flag{in_a_file} \nmore',
        'p/capstan.yaml': own('', {
          flags:
            '[{ text: a, attachment: { file: f.txt, as: one.txt } }, { text: b, attachment: { url: "https://example.org/b" } }]',
        })
          .replaceAll(/own/gi, 'Other')
          .replace('name: Other', 'name: other'),
        'p/f.txt': 'one',
      },
    ],
    [
      'a container with all settings',
      {
        'o/capstan.yaml': own(
          container(
            ', command: [a], args: [b], environment: { A: b }, flag: { environment: X, file: /flag }, egress: true, readOnlyRoot: true, user: 7, group: 8, writablePaths: [{ path: /tmp, sizeMb: 3 }], readiness: { line: ready }, startTimeoutSeconds: 9, cpu: 0.7, memoryMb: 77, storageMb: 222, capture: true',
          ),
        ),
      },
    ],
  ])('result in equal rows for %s', async (_, files) => {
    using folder = aFolder(files)
    expect(await imported(files)).toEqual(await applied(folder.root))
  })

  test('applying and importing result in equal rows for examples of every type', async () => {
    const files = createExampleGameFiles('equal-rows')
    using folder = aFolder(files)
    const provided = {
      Ropes: { flags: expect.anything(), containerSecrets: expect.anything() },
      Chart: { flags: expect.anything() },
    }
    expect(await imported(files)).toEqual(withoutProvided(await applied(folder.root), provided))
  })

  test('applying and importing result in equal rows for the demo game', async () => {
    const root = path.join(import.meta.dirname, '../../e2e/challenges')
    const made = { attachment: null }
    const provided = {
      'Debug Pin': made,
      'Signal Hoist': made,
      'The Winch Lock': made,
      'Soundings That Lie': { flags: [] },
    }
    expect(await imported(folderOf(root))).toEqual(withoutProvided(await applied(root), provided))
  })

  test.each(sampleTestCases(Object.entries(examplesOfOthers), 3))(
    'result in equal rows for an example of another platform: %s',
    async (_, files) => {
      using folder = aFolder(files)
      const before = await imported(files)
      expect(await runCapstan(shell, 'import', folder.root)).toMatchObject({ code: 0 })
      expect(before).toEqual(await applied(folder.root))
      const converted = Object.fromEntries(folder.list().map((file) => [file, folder.read(file)]))
      expect(await imported(converted)).toEqual(before)
    },
  )
})
