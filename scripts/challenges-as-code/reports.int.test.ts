import { readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { aGame, aParticipation, aSubmission } from '@capstan/api/testing/organizing-factories'
import { connectToPlatform } from '@capstan/cli/platform'
import { PageLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aFolder, aToken, createAppFetch, runCapstan, type Shell } from './testing/command.ts'
import { createExampleGameFiles, environment, secrets } from './testing/example-game.ts'

let context: TestApp
let shell: Shell
beforeAll(async () => {
  context = await startTestApp()
  shell = { send: createAppFetch(context), token: await aToken(context), environment }
})
afterAll(() => context.close())

const document = readFileSync(path.join(import.meta.dirname, '../../docs/challenges-as-code.md'), 'utf8')

/** Returns the example report of a command from docs/challenges-as-code.md. */
function exampleOf(command: string): unknown {
  const [, section = ''] = document.split(`Output of \`capstan ${command} --json\``)
  const found = /```json\n([^`]*)```/.exec(section)?.[1]
  if (found === undefined) throw new Error(`The document has no report of ${command}`)
  return JSON.parse(found)
}

/** Fields of a report whose values may have any type. */
const anything = ['from', 'to', 'challenge']

/** Returns the path of every value in a report, such as `challenges[].findings[].why`. */
function placesOf(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => placesOf(each, `${place}[]`))
  if (typeof value !== 'object' || value === null) return [place]
  return Object.entries(value).flatMap(([key, each]) =>
    anything.includes(key) ? [`${place}.${key}`] : placesOf(each, `${place}.${key}`),
  )
}

async function reportOf(...args: string[]): Promise<unknown> {
  return JSON.parse((await runCapstan(shell, ...args)).text.replace(/^[^{]*/, ''))
}

/** Checks that the reports together have exactly the fields of the documented example. */
function expectDocumented(command: string, reports: readonly unknown[]): void {
  expect([...new Set(reports.flatMap((report) => placesOf(report)))].toSorted()).toEqual(
    [...new Set(placesOf(exampleOf(command)))].toSorted(),
  )
}

test('the document describes all fields of the reports of plan and apply', async () => {
  using folder = aFolder(createExampleGameFiles('reports'))
  const plans = [await reportOf('plan', '--json', folder.root)]
  const applied = [await reportOf('apply', '--json', folder.root)]
  const { applied: id } = applied[0] as { applied: number }

  const knots = 'misc/knots/capstan.yaml'
  const changed = folder.read(knots).replace('points: 300', 'points: 200').replace('difficulty: easy', 'difficulty: hard')
  folder.put(knots, changed.replace(secrets.flag, 'flag{another}').replace('enabled: true', 'enabled: true\nauthors: [Ada]'))
  folder.put('capstan.yaml', folder.read('capstan.yaml').replace('teamSize: 4', 'teamSize: 5'))
  const report = await reportOf('plan', '--json', folder.root)
  expect(report).toMatchObject({ counts: { add: 0, change: 2, delete: 0, refuse: 0 } })
  const fields = (report as { challenges: { changes: { field: string }[] }[] }).challenges.flatMap(({ changes }) =>
    changes.map(({ field }) => field),
  )
  expect(fields.toSorted()).toEqual(['difficulty', 'flags', 'score.points'])
  plans.push(report)
  applied.push(await reportOf('apply', '--json', folder.root))

  // Create the differences that a plan can report. The first challenge has no file. The second challenge and its file have
  // different types. The third challenge is solved, but its file is deleted.
  const platform = connectToPlatform({ url: 'https://ctf.example.org', token: shell.token }, shell.send)
  await platform.call(operations.createChallenge, { params: { id }, body: { title: 'By hand' } })
  const anchor = 'pwn/anchor/capstan.yaml'
  folder.put(anchor, folder.read(anchor).replace('template:', 'text:'))
  applied.push(await reportOf('apply', '--json', folder.root))
  const [solved] = await context.sql`select id from challenges where game_id = ${id} and title = 'Knots'`
  await aSubmission(context.db, await aParticipation(context.db, { gameId: id }), solved?.id, { solve: true })
  await context.sql`update challenges set accepted_count = 1 where id = ${solved?.id}`
  folder.remove('misc')
  plans.push(await reportOf('plan', '--json', '--prune', folder.root))
  expectDocumented('plan', plans)

  const planned = new Set(placesOf(exampleOf('plan')))
  const further = applied.flatMap((each) => placesOf(each)).filter((place) => !planned.has(place))
  expect([...new Set(further)]).toEqual(placesOf(exampleOf('apply')))
})

test('the document describes all fields of the reports of validate and import', async () => {
  using wrong = aFolder({ 'a/capstan.yaml': 'apiVersion: capstan/v1\nkind: Challenge\n' })
  expectDocumented('validate', [await reportOf('validate', '--json', wrong.root)])
  const jailed = 'FROM pwn.red/jail\nCOPY --from=ubuntu / /srv\nCOPY a /srv/app/run\n'
  using foreign = aFolder({
    'a/challenge.yaml':
      'name: A\nflag: ctf{a}\nvalue: 100\ncontainers: { main: { build: ., ports: [5000] } }\nexpose: { main: [{ target: 5000 }] }\n',
    'a/Dockerfile': jailed,
    'b/challenge.yml': 'name: B\ncategory: misc\nvalue: 50\nflags: ["ctf{b}"]\nfiles: [b.zip]\n',
    'b/challenge.yaml': 'apiVersion: kctf.dev/v1\nkind: Challenge\nmetadata: { name: b }\nspec: { image: registry.test/b }\n',
    'c/challenge.yaml': 'name: "C\nflag: x\n',
    'b/capstan.yaml': 'mine',
    'd/challenge.yaml': 'hello: world\n',
    'e/challenge.yml': 'name: E\ncategory: web\nvalue: 50\nflags: ["ctf{e}"]\n',
    'e/Dockerfile': 'FROM alpine\nEXPOSE 8000 9000\n',
  })
  symlinkSync('elsewhere', path.join(foreign.root, 'link'))
  expectDocumented('import', [await reportOf('import', '--json', foreign.root)])
})

test('`capstan games` lists all games that the token may read, newest first', async () => {
  const titles = ['Spring', 'Summer', 'Autumn']
  for (const title of titles) await aGame(context.db, { title, hidden: title === 'Summer' })
  const { code, text } = await runCapstan(shell, 'games')
  expect(code).toBe(0)
  const lines = text.split('\n')
  expect(lines.slice(0, 3)).toEqual([
    expect.stringMatching(/^ *\d+ {2}\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d {2}Autumn$/),
    expect.stringMatching(/ {2}Summer \(hidden\)$/),
    expect.stringMatching(/ {2}Spring$/),
  ])
  expectDocumented('games', [await reportOf('games', '--json')])

  const gameId = Number(/\d+/.exec(lines[1] ?? '')?.[0])
  const limited = { ...shell, token: await aToken(context, { scope: 'ReadGame', gameId }) }
  expect((await runCapstan(limited, 'games')).text).toMatch(/^\d+ .* Summer \(hidden\)$/)
})

test('`capstan games` lists all games even if the platform returns the games in several responses', async () => {
  const all = Array.from({ length: PageLimits.default + 1 }, (_, index) => index)
  for (const index of all) await aGame(context.db, { title: `Round ${index}` })
  const { text } = await runCapstan(shell, 'games')
  expect(text.match(/ Round \d+$/gm)).toHaveLength(all.length)
})
