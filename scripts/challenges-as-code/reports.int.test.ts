import { readFileSync } from 'node:fs'
import path from 'node:path'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { aParticipation, aSubmission } from '@capstan/api/testing/organizing-factories'
import { connect } from '@capstan/cli/platform'
import { operations } from '@capstan/contract/operations'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aFolder, aToken, capstan, fetchOf, type Shell } from './testing/command.ts'
import { environment, exampleGame, secrets } from './testing/example-game.ts'

let context: TestApp
let shell: Shell
beforeAll(async () => {
  context = await startTestApp()
  shell = { send: fetchOf(context), token: await aToken(context), environment }
})
afterAll(() => context.close())

const document = readFileSync(path.join(import.meta.dirname, '../../docs/challenges-as-code.md'), 'utf8')

/** The example of a report in the document, by the command that prints it. */
function exampleOf(command: string): unknown {
  const [, told = ''] = document.split(`What \`capstan ${command} --json\` prints`)
  const found = /```json\n([^`]*)```/.exec(told)?.[1]
  if (found === undefined) throw new Error(`The document has no report of ${command}`)
  return JSON.parse(found)
}

/** Values of any shape: those of fields, and challenges as their own schema has them. */
const anything = ['from', 'to', 'challenge']

/** Every place of a report that holds a value: `challenges[].findings[].why`. */
function placesOf(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => placesOf(each, `${place}[]`))
  if (typeof value !== 'object' || value === null) return [place]
  return Object.entries(value).flatMap(([key, each]) =>
    anything.includes(key) ? [`${place}.${key}`] : placesOf(each, `${place}.${key}`),
  )
}

async function reportOf(...args: string[]): Promise<unknown> {
  return JSON.parse((await capstan(shell, ...args)).text.replace(/^[^{]*/, ''))
}

/** What is printed in all of these cases is what the document shows: no more and no less. */
function expectDocumented(command: string, reports: readonly unknown[]): void {
  expect([...new Set(reports.flatMap((report) => placesOf(report)))].toSorted()).toEqual(
    [...new Set(placesOf(exampleOf(command)))].toSorted(),
  )
}

test('what programs read of plan and apply is what the document says', async () => {
  using folder = aFolder(exampleGame('reports'))
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

  // A challenge that is in no file, one of another type, and one that teams have solved and whose file is gone.
  const platform = connect({ url: 'https://ctf.example.org', token: shell.token }, shell.send)
  await platform.call(operations.createChallenge, { params: { id }, body: { title: 'By hand' } })
  const anchor = 'pwn/anchor/capstan.yaml'
  folder.put(anchor, folder.read(anchor).replace('template:', 'text:'))
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

test('what programs read of validate and import is what the document says', async () => {
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
  })
  expectDocumented('import', [await reportOf('import', '--json', foreign.root)])
})
