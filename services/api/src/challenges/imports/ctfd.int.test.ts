import type { CtfdImportFinding, ImportReport } from '@capstan/contract/imports'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { computeUniqueNameKeys } from '../../people/names/keys.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import {
  aChallengeRow,
  aUserRow,
  createCtfdExport,
  createExportZip,
  createSettingRows,
  type ExportTables,
} from './testing/ctfd-export.ts'

/** Number of people. A full run has 2,000 with hash cost 12, like a real event, and a short run has fewer. */
const people = Number(process.env.CAPSTAN_TEST_IMPORT_USERS ?? 120)
const cost = Number(process.env.CAPSTAN_TEST_IMPORT_COST ?? 4)
const isMeasured = process.env.CAPSTAN_TEST_IMPORT_USERS !== undefined
/** Number of people who log in. The first log-in of an imported user computes two hashes. */
const loggedIn = Number(process.env.CAPSTAN_TEST_IMPORT_LOGINS ?? (isMeasured ? people : 3))
function sizeOf(mode: 'users' | 'teams') {
  return { users: people, challenges: isMeasured ? 50 : 12, solves: people * 3, mode, cost }
}

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function send(zip: Buffer, preview = false) {
  return admin.upload('POST', `/api/admin/imports/ctfd${preview ? '?preview=true' : ''}`, [{ name: 'export.zip', content: zip }])
}

async function importOf(zip: Buffer, preview = false): Promise<ImportReport> {
  const response = await send(zip, preview)
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json()
}

/** Counts the rows of every table that an import writes. */
async function countRows() {
  const [counts] = await context.sql`select
    (select count(*)::int from users) as users, (select count(*)::int from teams) as teams, (select count(*)::int from games) as games,
    (select count(*)::int from participations) as participations, (select count(*)::int from challenges) as challenges,
    (select count(*)::int from submissions) as submissions, (select count(*)::int from solves) as solves,
    (select count(*)::int from awards) as awards, (select count(*)::int from posts) as posts,
    (select count(*)::int from notices) as notices, (select count(*)::int from files) as files`
  return counts
}

async function boardOf(gameId: number): Promise<Map<string, number>> {
  const { items } = (await admin.get(`/api/game/${gameId}/scoreboard`)).json()
  return new Map(items.map(({ name, score }: { name: string; score: number }) => [name, score]))
}

function logIn(userName: string, password: string) {
  return createTestClient(context.app).post('/api/account/login', { userName, password })
}

/** Returns the findings about a table. */
function findingsOf({ findings }: ImportReport, table: string) {
  return findings
    .filter((finding) => finding.table === table)
    .map(({ field, outcome, rows, why }) => ({ field, outcome, rows, why }))
}

function byField(findings: readonly Pick<CtfdImportFinding, 'field'>[]) {
  return findings.map(({ field }) => field).sort()
}

function importTables(
  tables: ExportTables,
  { preview = false, uploads = {} }: { preview?: boolean; uploads?: Record<string, string> } = {},
) {
  return importOf(createExportZip({ config: createSettingRows('users'), ...tables }, uploads), preview)
}

describe.each(['users', 'teams'] as const)('an event of %s', (mode) => {
  test('an import contains all data of the event, and the board has the same points', async () => {
    const made = await createCtfdExport(sizeOf(mode))
    const before = await countRows()
    const preview = await importOf(made.zip, true)
    expect(await countRows()).toEqual(before)
    const startedAt = performance.now()
    const report = await importOf(made.zip)
    if (isMeasured) console.log(`Imported ${people} users (${mode}) in ${Math.round(performance.now() - startedAt)} ms`)
    expect({ ...preview, gameId: report.gameId }).toEqual(report)
    const { users, teams, solves } = report.counts
    const line = `Imported the game "${report.title}" with ${users} users, ${teams} teams and ${solves} solves`
    expect(context.logLines.map(({ message }) => message)).toContain(line)
    expect(report).toMatchObject({ title: 'Winter Games', mode, differences: [], differenceCount: 0 })
    expect(report.counts).toMatchObject({
      ...{ users: people, matchedUsers: 0, teams: made.accounts, hints: 1, files: 1, posts: 1, notices: 1 },
      ...{ submissions: made.tables.submissions?.length, solves: made.tables.solves?.length, awards: made.tables.awards?.length },
    })
    const board = await boardOf(report.gameId ?? 0)
    expect([...board].sort()).toEqual([...made.points].sort())

    // Imported users log in with their old password, by name and by address.
    const ids = Array.from({ length: loggedIn }, (_, index) => 1 + Math.floor((index * (people - 1)) / (loggedIn - 1)))
    const waiting = ids.values()
    const loggingIn = performance.now()
    const logInOneByOne = async (): Promise<void> => {
      for (const id of waiting) {
        const login = id % 2 === 0 ? `player ${id}` : `player${id}@example.org`
        expect([id, (await logIn(login, made.passwordOf(id))).statusCode]).toEqual([id, 200])
      }
    }
    await Promise.all(Array.from({ length: 8 }, logInOneByOne))
    if (isMeasured) console.log(`Logged ${ids.length} in (${mode}) in ${Math.round(performance.now() - loggingIn)} ms`)
    // The first log-in replaces the imported hash.
    const [hashes] = await context.sql`select count(*)::int as theirs from users where password_hash like 'imported:%'`
    expect(hashes).toEqual({ theirs: people - ids.length })
    expect((await logIn('player 2', made.passwordOf(3))).statusCode).toBe(401)
    // Delete these people, because the next test imports them again.
    await context.sql`delete from games where id = ${report.gameId}`
    await context.sql`delete from teams where captain_id in (select id from users where user_name like 'player %')`
    await context.sql`delete from users where user_name like 'player %'`
  }, 900_000)
})

test('the score records of imported teams and challenges have the start time of the game', async () => {
  const { zip } = await createCtfdExport(sizeOf('users'))
  const { gameId } = await importOf(zip)
  const [game] = await context.sql<{ start: string }[]>`select starts_at::text as start from games where id = ${gameId}`
  const others = await context.sql`
    select kind, time from score_records where game_id = ${gameId}
    and (kind in ('game', 'challenge', 'participation') and time <> ${game!.start}::timestamptz or kind = 'solve' and time not in (
      select solved_at from solves where game_id = ${gameId}))`
  expect([...others]).toEqual([])
  const kinds = await context.sql<
    { kind: string }[]
  >`select distinct kind from score_records where game_id = ${gameId} order by 1`
  expect(kinds.map(({ kind }) => kind)).toEqual(['award', 'challenge', 'game', 'participation', 'solve'])
  await context.sql`delete from games where id = ${gameId}`
  await context.sql`delete from teams where captain_id in (select id from users where user_name like 'player %')`
  await context.sql`delete from users where user_name like 'player %'`
})

test('imports a dynamic challenge with its curve', async () => {
  const report = await importTables({
    challenges: [
      aChallengeRow(3, { type: 'dynamic', value: 500 }),
      aChallengeRow(4, { type: 'standard', value: 300, initial: 300, minimum: 60, decay: 20, function: 'linear' }),
    ],
    dynamic_challenge: [{ id: 3, initial: 500, minimum: 100, decay: 50, function: 'logarithmic' }],
    flags: [{ id: 1, challenge_id: 3, type: 'static', content: 'flag{3}', data: '' }],
  })
  expect(await context.sql`select * from challenges where game_id = ${report.gameId} order by original_score desc`).toMatchObject(
    [
      { original_score: 500, min_score_rate: 0.2, difficulty: 50, curve: 'parabola' },
      { original_score: 300, min_score_rate: 0.2, difficulty: 20, curve: 'linear' },
    ],
  )
  expect(findingsOf(report, 'challenges').filter(({ field }) => field === 'value')).toEqual([])
})

test('if the CTFd curve does not yield the exported value, the imported challenge has a fixed value', async () => {
  const report = await importTables({
    challenges: [aChallengeRow(3, { type: 'dynamic', value: 412 })],
    dynamic_challenge: [{ id: 3, initial: 500, minimum: 100, decay: 50, function: 'logarithmic' }],
    flags: [{ id: 1, challenge_id: 3, type: 'static', content: 'flag{3}', data: '' }],
  })
  const [row] = await context.sql`select * from challenges where game_id = ${report.gameId}`
  expect(row).toMatchObject({ original_score: 412, min_score_rate: 1, curve: 'static' })
  expect(report.findings.filter(({ table }) => table === 'challenges')).toMatchObject([
    {
      field: 'value',
      advice: 'To use the curve in another game, set 500 points, the minimum 100 and the decay 50.',
    },
  ])
})

test('imports hints, flags, files and texts of a challenge, and reports all other data by row', async () => {
  const report = await importTables(
    {
      challenges: [
        aChallengeRow(7, { name: 'Whole', connection_info: 'nc host 1', category: 'binary', max_attempts: 3 }),
        aChallengeRow(8, { name: 'No flag', state: 'hidden', type: 'multiple_choice', value: -5 }),
      ],
      flags: [
        { id: 1, challenge_id: 7, type: 'static', content: ' flag{one} ', data: '' },
        { id: 2, challenge_id: 7, type: 'static', content: 'flag{Two}', data: 'case_insensitive' },
        { id: 3, challenge_id: 7, type: 'regex', content: 'flag\\{[0-9]+\\}', data: 'case_insensitive' },
        { id: 4, challenge_id: 8, type: 'regex', content: 'flag(?=x)', data: '' },
        { id: 5, challenge_id: 8, type: 'plugin', content: 'x', data: '' },
      ],
      hints: [{ id: 1, challenge_id: 7, content: 'Look', cost: 10, title: 'First', requirements: null }],
      files: [
        { id: 1, type: 'challenge', challenge_id: 7, location: 'a/one.txt' },
        { id: 2, type: 'challenge', challenge_id: 7, location: 'b/one.txt' },
        { id: 3, type: 'challenge', challenge_id: 8, location: 'c/gone.txt' },
      ],
      tags: [
        ...['easy', 'Easy ', ' crypto\n101', 'x'.repeat(31), ''].map((value, index) => ({
          id: index + 1,
          challenge_id: 7,
          value,
        })),
        ...Array.from({ length: 11 }, (_, index) => ({ id: 20 + index, challenge_id: 8, value: `tag ${index}` })),
      ],
      topics: [{ id: 1, value: 'padding oracle' }],
      users: [aUserRow(1, { name: 'tags' })],
      surprises: [{ id: 1 }],
    },
    { uploads: { 'a/one.txt': 'one', 'b/one.txt': 'two' } },
  )
  const [whole, none] = await context.sql`select * from challenges where game_id = ${report.gameId} order by id`
  expect(whole).toMatchObject({ title: 'Whole', content: 'Solve 7.\n\nnc host 1', hints: [], is_enabled: true })
  expect(whole?.priced_hints).toMatchObject([{ text: '**First** Look', price: 10, place: 0 }])
  expect(whole?.tags).toEqual(['easy', 'crypto 101', 'x'.repeat(30)])
  expect(none?.tags).toHaveLength(10)
  expect(none).toMatchObject({ title: 'No flag', is_enabled: false, original_score: 0 })
  const rules = await context.sql`select flag, kind from flags where challenge_id = ${whole?.id} order by id`
  expect(rules.map(({ flag, kind }) => [flag, kind])).toEqual([
    ['flag{one}', 'Exact'],
    ['flag{Two}', 'Caseless'],
    [String.raw`(?i)flag\{[0-9]+\}`, 'Pattern'],
  ])
  const [attachment] = await context.sql`select file_name from attachments where id = ${whole?.attachment_id}`
  expect(attachment?.file_name).toBe('files.zip')
  expect(byField(findingsOf(report, 'challenges'))).toEqual(
    ['category', 'connection_info', 'files', 'flags', 'type', 'value'].sort(),
  )
  expect(findingsOf(report, 'flags')).toMatchObject([{ rows: [4], outcome: 'left-out' }, { rows: [5] }])
  expect(findingsOf(report, 'hints')).toEqual([])
  expect(findingsOf(report, 'files')).toMatchObject([{ field: 'location', rows: [3] }])
  expect(findingsOf(report, 'tags')).toMatchObject([
    { outcome: 'converted', rows: [4] },
    { outcome: 'left-out', rows: [30] },
  ])
  expect([findingsOf(report, 'topics'), findingsOf(report, 'surprises')]).toMatchObject([
    [{ outcome: 'left-out' }],
    [{ outcome: 'left-out' }],
  ])
})

test('an import retains existing accounts, makes names unique and imports no admin', async () => {
  const here = await aUser(context.db, {
    email: 'Here@example.org',
    userName: 'already here',
    ...computeUniqueNameKeys('already here'),
  })
  await aTeam(context.db, { name: 'solo player', ...computeUniqueNameKeys('solo player') })
  const report = await importTables({
    users: [
      aUserRow(1, { name: 'renamed', email: 'here@EXAMPLE.org', password: 'x' }),
      aUserRow(2, { name: 'Already Here' }),
      aUserRow(3, { name: 'solo player', type: 'admin' }),
      aUserRow(4, { name: 'a name that is far too long to be kept', email: 'player3@example.org' }),
      aUserRow(5, { name: 'no', password: '5f4dcc3b5aa765d61d8327deb882cf99', banned: true }),
      aUserRow(6, { name: 'me@example.org', email: null }),
    ],
    challenges: [aChallengeRow(1)],
    submissions: [
      { id: 1, challenge_id: 1, user_id: 3, team_id: null, provided: 'x', type: 'incorrect', date: '2023-11-15T00:00:00' },
    ],
  })
  expect(report.counts).toMatchObject({ users: 5, matchedUsers: 1, teams: 6 })
  const [unchanged] = await context.sql`select user_name, password_hash from users where id = ${here.id}`
  expect(unchanged).toEqual({ user_name: 'already here', password_hash: here.passwordHash })
  const made = await context.sql`
    select user_name, role, email from users u join participation_members m on m.user_id = u.id
    where m.game_id = ${report.gameId} and u.id <> ${here.id} order by user_name`
  expect(made.map(({ user_name, role, email }) => [user_name, role, email])).toEqual([
    ['Already Here-2', 'User', 'player2@example.org'],
    ['a name that is', 'User', 'user-4@imported.invalid'],
    ['no-5', 'Banned', 'player5@example.org'],
    ['solo player', 'User', 'player3@example.org'],
    ['user-6', 'User', 'user-6@imported.invalid'],
  ])
  expect(findingsOf(report, 'users').map(({ field, rows }) => [field, rows])).toEqual(
    expect.arrayContaining([
      ['', [1]],
      ['type', [3]],
      ['email', [4, 6]],
      ['password', [5]],
    ]),
  )
})

test('an import reports each team whose points differ afterwards', async () => {
  const who = { challenge_id: 1, user_id: 1, team_id: null }
  const report = await importTables(
    {
      users: [aUserRow(1, { name: 'fractions', email: 'fractions@example.org' })],
      challenges: [aChallengeRow(1, { value: 33.5 })],
      submissions: [{ id: 4, ...who, provided: 'flag', type: 'correct', date: '2023-11-15T00:00:00Z' }],
      solves: [{ id: 4, ...who }],
    },
    { preview: true },
  )
  expect(report).toMatchObject({ differences: [{ team: 'fractions', theirs: 33.5, ours: 34 }], differenceCount: 1 })
})

/** Creates an export with a malformed table. */
function brokenTable(text: string): Buffer {
  return createExportZip({ config: createSettingRows('users') }, {}, { users: text })
}

test.each([
  ['no zip file', () => Buffer.from('PK nothing'), 'The zip archive cannot be read'],
  ['a zip file of another program', () => createExportZip({ other: [] }), 'The archive is not a CTFd export'],
  ['tables that are no JSON', () => brokenTable('{"results": [{"id": 1}'), 'The table users is not valid JSON'],
  [
    'two people with the same id',
    () =>
      createExportZip({ config: createSettingRows('users'), users: [aUserRow(1), aUserRow(1, { email: 'other@example.org' })] }),
    'The table users has two rows with the same id.',
  ],
  [
    'two challenges with the same id',
    () => createExportZip({ config: createSettingRows('users'), challenges: [aChallengeRow(1), aChallengeRow(1)] }),
    'The table challenges has two rows with the same id.',
  ],
  ['rows that are no objects', () => brokenTable('{"results": [1, 2]}'), 'A row of the table users is not an object.'],
  [
    'an endless row',
    () => brokenTable(`{"results": [{"id": "${'x'.repeat(5 * 1024 * 1024)}"}]}`),
    'A row of the table users is larger than 4 MB.',
  ],
  [
    'endless nesting',
    () => brokenTable(`{"results": [{"id": ${'['.repeat(1024 * 1024)}`),
    'The table users is nested too deeply.',
  ],
])('%s is refused with a sentence that gives the reason, and no data is written', async (_, zip, why) => {
  const before = await countRows()
  const response = await send(zip())
  expect([response.statusCode, response.json()]).toMatchObject([
    400,
    { code: 'import.archive', detail: expect.stringContaining(why) },
  ])
  expect(await countRows()).toEqual(before)
})

test('an import leaves no data behind if a file is damaged', async () => {
  const before = await countRows()
  const tables = {
    config: createSettingRows('users'),
    challenges: [aChallengeRow(1), aChallengeRow(2)],
    files: [1, 2].map((id) => ({ id, type: 'challenge', challenge_id: id, location: `${id}/a.txt` })),
  }
  const zip = createExportZip(tables, { '1/a.txt': 'whole', '2/a.txt': 'damaged' })
  // The central directory of the ZIP archive states that the second file is 5 bytes larger than it is.
  const at = zip.lastIndexOf('uploads/2/a.txt') - 46
  zip.writeUInt32LE(zip.readUInt32LE(at + 24) + 5, at + 24)
  expect((await send(zip)).statusCode).toBeGreaterThanOrEqual(400)
  expect(await countRows()).toEqual(before)
})

test('an import is accepted even if earlier archives could not be read', async () => {
  vi.stubEnv('TMPDIR', '/nowhere/at/all')
  const zip = createExportZip({ config: createSettingRows('users'), users: [aUserRow(1)], challenges: [aChallengeRow(1)] })
  expect((await send(zip)).statusCode).toBe(500)
  vi.unstubAllEnvs()
  expect((await send(zip, true)).statusCode).toBe(200)
})

test('a time that is invalid, or that the database cannot store, counts as absent', async () => {
  const dates = ['0000-01-01T00:00:00', '0001-01-01T00:00:00+05:00', '9999-12-31T23:59:59-12:00', '2023-13-01T00:00:00', 'soon']
  const { counts, gameId } = await importTables({
    users: dates.map((created, index) => aUserRow(index + 900, { created, email: `time-${index}@example.org` })),
    challenges: [aChallengeRow(1)],
    awards: dates.map((date, index) => ({ id: index + 1, user_id: index + 900, name: 'Early', value: 10, date })),
  })
  expect(counts).toMatchObject({ users: dates.length, awards: dates.length })
  const [row] = await context.sql`select count(*)::int as n from awards where game_id = ${gameId} and awarded_at > '2020-01-01'`
  expect(row?.n).toBe(dates.length)
})
