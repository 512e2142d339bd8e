import { createHash, createHmac } from 'node:crypto'
import type { ImportReport } from '@capstan/contract/imports'
import { ImportLimits, InputLimits, maxJsonDepth } from '@capstan/contract/limits'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import {
  aChallengeRow,
  aUserRow,
  createExportZip,
  createSettingRows,
  type ExportRow,
  type ExportTables,
} from './testing/ctfd-export.ts'

/** Exports that resemble real events: old versions, extensions, missing accounts and times. */

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

async function importOf(tables: ExportTables, uploads: Record<string, string> = {}, texts: Record<string, string> = {}) {
  const response = await send(createExportZip({ config: createSettingRows('users'), ...tables }, uploads, texts))
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json() as ImportReport
}

/** Returns findings in the form `table.field: outcome`, sorted by table and field. */
function findingsOf({ findings }: ImportReport, ...tables: string[]) {
  return findings
    .filter(({ table }) => tables.includes(table))
    .map(({ table, field, outcome, rows }) => `${table}.${field}: ${outcome} ${rows.join(' ')}`)
    .sort()
}

async function boardOf(gameId: number | null): Promise<Record<string, number>> {
  const { items } = (await admin.get(`/api/game/${gameId}/scoreboard`)).json()
  return Object.fromEntries(items.map(({ name, score }: { name: string; score: number }) => [name, score]))
}

const at = '2023-11-15T00:00:00.123456'
function aSubmission(id: number, more: ExportRow): ExportRow {
  return {
    ...{ id, challenge_id: 1, user_id: 1, team_id: null, ip: null, provided: 'flag{1}', type: 'correct', date: at },
    ...more,
  }
}
function aSolve(id: number, userId: number, teamId: number | null = null, challenge = 1): ExportRow {
  return {
    ...{ id, challenge_id: challenge, user_id: userId, team_id: teamId },
  }
}
function aFlag(id: number, more: ExportRow = {}): ExportRow {
  return {
    ...{ id, challenge_id: 1, type: 'static', content: `flag{${id}}`, data: '' },
    ...more,
  }
}

test('each finding contains a reason and advice', async () => {
  const { findings } = await importOf({
    challenges: [aChallengeRow(1, { requirements: { prerequisites: [2] }, next_id: 2, max_attempts: 3, state: 'locked' })],
    users: [aUserRow(1, { oauth_id: 5, website: 'https://example.org', country: 'DE', secret: 's' })],
    submissions: [aSubmission(1, { type: 'discard', ip: '192.0.2.1' })],
    unlocks: [{ id: 1 }],
    invented: [{ id: 1 }],
    alembic_version: [{ id: 1, version_num: '0' }],
  })
  expect(findings.length).toBeGreaterThan(8)
  for (const { why, advice } of findings) {
    expect(why).toMatch(/\.$/)
    expect(advice).toMatch(/\.$/)
  }
})

describe('accounts', () => {
  test('old passwords of every form are valid, and users who logged in through another service need a new password', async () => {
    const plain = await bcrypt('secret', { cost: 4 })
    const setting = plain.slice(0, 29)
    const salt = setting.slice(7)
    const digestOf = async (input: string): Promise<string> => (await bcrypt(input, { salt: setting })).slice(29)
    const keyed = await digestOf(createHmac('sha256', salt).update('secret').digest('base64'))
    const unkeyed = await digestOf(createHash('sha256').update('secret').digest('base64'))
    const hashes: Record<string, string | null> = {
      twoA: plain.replace('$2b$', '$2a$'),
      twoB: plain,
      twoY: plain.replace('$2b$', '$2y$'),
      second: `$bcrypt-sha256$v=2,t=2b,r=4$${salt}$${keyed}`,
      first: `$bcrypt-sha256$2b,4$${salt}$${unkeyed}`,
      none: null,
      sha1: '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8',
    }
    const report = await importOf({
      challenges: [aChallengeRow(1)],
      users: Object.entries(hashes).map(([name, password], index) =>
        aUserRow(index + 1, { name, password, email: `${name}@hash.example.org`, oauth_id: name === 'none' ? 7 : null }),
      ),
    })
    const logIn = async (userName: string) =>
      (await createTestClient(context.app).post('/api/account/login', { userName, password: 'secret' })).statusCode
    const known: Record<string, number> = {}
    for (const name of Object.keys(hashes)) known[name] = await logIn(name)
    expect(known).toEqual({ twoA: 200, twoB: 200, twoY: 200, second: 200, first: 200, none: 401, sha1: 401 })
    expect(findingsOf(report, 'users')).toEqual([
      'users.oauth_id: left-out 6',
      'users.password: converted 6',
      'users.password: refused 7',
    ])
  })

  test('accounts are matched by address regardless of case, and get unique, shortened names and no admin rights', async () => {
    const long = 'a name of far more than fifteen characters'
    const report = await importOf({
      challenges: [aChallengeRow(1)],
      users: [
        aUserRow(1, { name: 'Ada', email: 'Ada@case.example.org', verified: 1 }),
        aUserRow(2, { name: 'ada', email: 'ada@CASE.example.org', verified: '0' }),
        aUserRow(3, { name: long, email: 'long@case.example.org', type: 'admin', hidden: true }),
        aUserRow(4, { name: 'gone', email: 'gone@case.example.org', banned: 'True', type: 'observer' }),
      ],
    })
    const rows = await context.sql`
      select user_name, email, role from users where email like '%case.example.org' or email like '%imported.invalid' order by user_name`
    expect(rows.map(({ user_name, email, role }) => [user_name, email, role])).toEqual([
      ['Ada', 'Ada@case.example.org', 'User'],
      ['a name of far m', 'long@case.example.org', 'User'],
      ['ada-2', 'user-2@imported.invalid', 'User'],
      ['gone', 'gone@case.example.org', 'Banned'],
    ])
    expect(findingsOf(report, 'users')).toEqual([
      'users.banned: converted 4',
      'users.email: converted 2',
      // In this list, the first finding is about a team, and the others are about accounts.
      'users.name: converted 2',
      'users.name: converted 2 3',
      'users.password: converted 1 2 3 4',
      'users.type: converted 3 4',
    ])
  })
})

describe('teams', () => {
  test('teams retain their brackets, even if they have no captain, are hidden, or have equal or too long names', async () => {
    const aTeam = (id: number, more: ExportRow = {}): ExportRow => ({
      ...{ id, name: `crew ${id}`, captain_id: id, hidden: false, banned: false, bracket_id: null, created: at },
      ...more,
    })
    const report = await importOf({
      config: createSettingRows('teams', { team_size: '4' }),
      brackets: [
        { id: 1, name: 'Students', description: 'They study', type: 'teams' },
        { id: 2, name: 'Students', description: null, type: 'teams' },
        { id: 3, name: 'Alone', description: null, type: 'users' },
        { id: 4, name: '', description: null, type: null },
      ],
      teams: [
        aTeam(1, { bracket_id: 1, email: 'team@example.org', password: 'x' }),
        aTeam(2, { name: 'crew 1', captain_id: null, bracket_id: 2 }),
        aTeam(3, { name: 'a crew with a name of more than twenty', bracket_id: 9 }),
        aTeam(4, { hidden: 1, captain_id: 99 }),
        aTeam(5, { captain_id: null }),
      ],
      users: [
        ...[1, 2, 3, 4].map((id) => aUserRow(id, { name: `sailor ${id}`, team_id: id, email: `s${id}@crew.example.org` })),
        aUserRow(6, { name: 'astray', team_id: 77, email: 'astray@crew.example.org', hidden: true, bracket_id: 1 }),
      ],
      challenges: [aChallengeRow(1), aChallengeRow(2, { value: 50 })],
      flags: [aFlag(1), aFlag(2, { challenge_id: 2 })],
      submissions: [
        aSubmission(1, { user_id: 1, team_id: 1 }),
        aSubmission(2, { user_id: 2, team_id: 2, challenge_id: 2, date: null }),
        aSubmission(3, { user_id: 3, team_id: null }),
        aSubmission(4, { user_id: 55, team_id: 3 }),
      ],
      solves: [aSolve(1, 1, 1), aSolve(2, 2, 2, 2), aSolve(4, 55, 3)],
      awards: [
        { id: 1, user_id: 1, team_id: 1, name: 'Hint 4', description: 'A hint', value: -30, date: at, category: 'hints' },
        { id: 2, user_id: 2, team_id: null, name: 'Lost', value: 10, date: at },
        { id: 3, user_id: 2, team_id: 2, name: '', description: 'Best talk', value: 5, date: null },
        { id: 4, user_id: 2, team_id: 2, name: 'Nothing', value: 0, date: at },
      ],
    })
    expect(await boardOf(report.gameId)).toEqual({ 'crew 1': 70, 'crew 1-2': 55, 'a crew with a name o': 100 })
    expect(report.differences).toEqual([])
    const rows = await context.sql`
      select t.name, p.division, p.status from participations p join teams t on t.id = p.team_id
      where p.game_id = ${report.gameId} order by t.id`
    expect(rows.map(({ name, division, status }) => [name, division, status])).toEqual([
      ['crew 1', 'Students', 'Accepted'],
      ['crew 1-2', 'Students', 'Accepted'],
      ['a crew with a name o', null, 'Accepted'],
      ['crew 4', null, 'Suspended'],
    ])
    const [game] = await context.sql`select team_member_count_limit as size from games where id = ${report.gameId}`
    expect(game).toEqual({ size: 4 })
    expect(findingsOf(report, 'teams', 'brackets', 'users', 'submissions', 'awards')).toEqual([
      'awards.category: left-out 1',
      'awards.date: converted 3',
      'awards.description: left-out 1',
      'awards.team_id: left-out 2',
      'awards.value: left-out 4',
      'brackets.description: left-out 1',
      'brackets.name: converted 2',
      'brackets.name: left-out 4',
      'brackets.type: left-out 3',
      'submissions.date: converted 2',
      'submissions.team_id: left-out 3',
      'submissions.user_id: left-out 4',
      'teams.: left-out 5',
      'teams.bracket_id: left-out 3',
      'teams.captain_id: converted 2 4',
      'teams.created: left-out 1 2 3 4 5',
      'teams.email: left-out 1',
      'teams.hidden: converted 4',
      'teams.name: converted 2 3',
      'teams.password: left-out 1',
      'users.bracket_id: left-out 6',
      'users.hidden: left-out 6',
      'users.password: converted 1 2 3 4 6',
      'users.team_id: left-out 6',
    ])
  })

  test('the import of a CTFd event without teams reports a row of the table `teams` as omitted', async () => {
    const report = await importOf({
      users: [aUserRow(1, { name: 'lonely', email: 'lonely@example.org', hidden: true })],
      teams: [{ id: 1, name: 'left over', captain_id: 1 }],
      challenges: [aChallengeRow(1)],
    })
    expect(report.counts.teams).toBe(1)
    expect(findingsOf(report, 'teams', 'users')).toEqual([
      'teams.: left-out 1',
      'users.hidden: converted 1',
      'users.password: converted 1',
    ])
  })
})

describe('challenges', () => {
  test('challenges are imported with all types, states and curves that occur in exports', async () => {
    const report = await importOf({
      challenges: [
        aChallengeRow(1, { name: 'plain', requirements: '{"prerequisites": []}', logic: 'any', position: 0, function: 'static' }),
        aChallengeRow(2, { name: 'locked', state: 'locked', requirements: { prerequisites: [1], anonymize: true } }),
        aChallengeRow(3, { name: 'choice', type: 'multiple_choice', category: 'Linux\n101' }),
        aChallengeRow(4, { name: 'once dynamic', function: 'static', initial: 500, minimum: 10, decay: 5 }),
        aChallengeRow(5, { name: 'new dynamic', type: 'dynamic', function: 'linear', initial: 500, minimum: 10, decay: 5 }),
        aChallengeRow(6, { name: 'x'.repeat(300), connection_info: 'https://example.org:8080/ \n nc example.org 1337' }),
        aChallengeRow(7, { name: '', description: '<b>Look</b> ![map](/files/abc/map.png)', next_id: 1, logic: 'all' }),
      ],
      dynamic_challenge: [{ id: 70, initial: 1, minimum: 1, decay: 1 }],
      flags: [1, 2, 3, 4, 5, 6, 7].map((id) => aFlag(id, { challenge_id: id })),
    })
    const rows = await context.sql`
      select id, title, category, tags, is_enabled, content, unlock_rule from challenges where game_id = ${report.gameId} order by id`
    expect(rows.map((row) => row.unlock_rule)).toEqual([
      null,
      { after: [rows[0]?.id], count: null, points: null, locked: 'Hidden' },
      ...[null, null, null, null, null],
    ])
    expect(rows.map(({ title, is_enabled }) => [title, is_enabled])).toEqual([
      ['plain', true],
      ['locked', false],
      ['choice', true],
      ['once dynamic', true],
      ['new dynamic', true],
      ['x'.repeat(256), true],
      ['Challenge 7', true],
    ])
    expect(rows[2]).toMatchObject({ category: 'Misc', tags: ['Linux 101'] })
    expect(rows[5]?.content).toContain('https://example.org:8080/ \n nc example.org 1337')
    expect(findingsOf(report, 'challenges', 'dynamic_challenge')).toEqual([
      'challenges.category: converted 3',
      'challenges.connection_info: converted 6',
      'challenges.description: converted 7',
      'challenges.description: converted 7',
      'challenges.logic: left-out 7',
      'challenges.name: converted 6',
      'challenges.name: converted 7',
      'challenges.next_id: left-out 7',
      'challenges.requirements: converted 2',
      'challenges.state: converted 2',
      'challenges.type: converted 3',
      'challenges.value: converted 5',
      'dynamic_challenge.id: left-out 70',
    ])
  })

  test('the import reports each flag that this platform does not support', async () => {
    const report = await importOf({
      challenges: [aChallengeRow(1)],
      flags: [
        aFlag(1),
        aFlag(2, { content: 'flag{1}' }),
        aFlag(3, { data: 'case_insensitive' }),
        aFlag(4, { data: 'odd' }),
        aFlag(5, { type: 'regex', content: 'flag\\{a{,3}\\}' }),
        aFlag(6, { type: 'regex', content: '(a)\\1' }),
        aFlag(7, { type: 'regex', content: '(?!x)flag', data: 'case_insensitive' }),
        aFlag(8, { type: 'programmable', content: 'x' }),
        aFlag(9, { challenge_id: 99 }),
      ],
    })
    expect(report.counts.flags).toBe(5)
    expect(findingsOf(report, 'flags')).toEqual([
      'flags.challenge_id: left-out 9',
      'flags.content: converted 5',
      'flags.content: left-out 6',
      'flags.content: left-out 7',
      'flags.content: left-out 8',
      'flags.data: left-out 4',
    ])
    expect(report.findings.find(({ rows }) => rows.includes(7) && rows.length === 1)?.why).toContain('`(?!x)flag`')
  })

  test('challenges are imported with their files from any folder of the export, and unused files are reported', async () => {
    const report = await importOf(
      {
        challenges: [aChallengeRow(1), aChallengeRow(2), aChallengeRow(3)],
        files: [
          { id: 1, type: 'challenge', challenge_id: 1, location: 'ab/ein Plan (1).pdf', sha1sum: null },
          { id: 2, type: 'challenge', challenge_id: 2, location: '../../etc/passwd' },
          { id: 3, type: 'challenge', challenge_id: 3, location: null },
          { id: 4, type: 'page', page_id: 1, location: 'cd/logo.png' },
          { id: 5, type: 'standard', location: 'ef/theme.css' },
        ],
      },
      { 'ab/ein Plan (1).pdf': 'plan', 'cd/logo.png': 'logo', 'zz/spare.txt': 'spare' },
    )
    expect(report.counts.files).toBe(1)
    const fileFindings = report.findings.filter(({ table }) => table === 'files')
    expect(fileFindings.map(({ why }) => why).sort()).toEqual([
      'No row refers to these files: `uploads/zz/spare.txt`.',
      'The file belongs to no challenge.',
      '`uploads/../../etc/passwd` is not in the archive.',
      '`uploads/` is not in the archive.',
    ])
  })
})

test('submissions are counted by type, and a solve without a time retains its points', async () => {
  const report = await importOf({
    users: [1, 2].map((id) => aUserRow(id, { name: `judge ${id}`, email: `judge${id}@example.org`, password: 'x' })),
    challenges: [aChallengeRow(1)],
    flags: [aFlag(1)],
    submissions: [
      ...['incorrect', 'partial', 'discard', 'ratelimited'].map((type, index) => aSubmission(index + 1, { type })),
      aSubmission(5, { date: null, provided: null }),
      aSubmission(6, { date: null }),
      aSubmission(7, { user_id: 2, date: '2023-11-15 10:00:00', provided: 'x'.repeat(9_000) }),
      aSubmission(8, { challenge_id: 9 }),
    ],
    solves: [aSolve(5, 1), aSolve(7, 2), aSolve(8, 1, null, 9)],
  })
  expect(await boardOf(report.gameId)).toEqual({ 'judge 1': 100, 'judge 2': 100 })
  expect(report.differences).toEqual([])
  expect(findingsOf(report, 'submissions')).toEqual([
    'submissions.challenge_id: left-out 8',
    'submissions.date: converted 5',
    'submissions.date: left-out 6',
    'submissions.provided: converted 7',
    'submissions.type: left-out 2',
    'submissions.type: left-out 3',
    'submissions.type: left-out 4',
  ])
})

test('pages, notifications and settings are imported or reported', async () => {
  const page = (id: number, more: ExportRow): ExportRow => ({
    ...{ id, title: `Page ${id}`, route: `page-${id}`, content: 'Text.', draft: false, hidden: false, auth_required: false },
    ...more,
  })
  const report = await importOf({
    config: createSettingRows('users', {
      ...{ ctf_name: 'n'.repeat(300), freeze: '1700000000', ctf_theme: 'core', css: 'body{}', mail_password: 'hunter2' },
    }),
    challenges: [aChallengeRow(1)],
    pages: [
      page(1, { draft: true }),
      page(2, { hidden: 1 }),
      page(3, { auth_required: true }),
      page(4, { content: '<h1>Hi</h1> [rules](/files/1/rules.pdf)', format: 'html', link_target: '_blank' }),
      page(5, { title: null, content: 'y'.repeat(300_000) }),
      page(6, { content: null }),
    ],
    notifications: [
      { id: 1, title: null, content: 'To all', date: null, user_id: null, team_id: null },
      { id: 2, title: 'For you', content: 'alone', date: at, user_id: 1, team_id: null },
      { id: 3, title: '', content: '', date: at, user_id: null, team_id: null },
    ],
  })
  expect(report.counts).toMatchObject({ posts: 2, notices: 1 })
  expect(findingsOf(report, 'pages', 'notifications', 'config')).toEqual([
    'config.: left-out 7 8 9',
    'config.ctf_name: converted 1',
    'config.freeze: left-out 6',
    'notifications.: left-out 2',
    'notifications.content: left-out 3',
    'notifications.date: converted 1',
    'pages.: left-out 1 2 3',
    'pages.: left-out 6',
    'pages.content: converted 4',
    'pages.content: converted 4',
    'pages.content: converted 5',
    'pages.link_target: left-out 4',
  ])
  const text = JSON.stringify(report)
  expect(text).toContain('`ctf_theme`, `css`, `mail_password`')
  expect(text).not.toContain('hunter2')
})

test('an export of the first 2.x release is imported, although it lacks later tables and columns', async () => {
  const report = await importOf(
    {
      alembic_version: [{ id: 1, version_num: '8369118943a1' }],
      users: [{ id: 1, name: 'old hand', email: 'old@example.org', password: null, type: 'user', team_id: null }],
      challenges: [{ id: 1, name: 'Old', description: 'Text', max_attempts: 0, value: 10, category: 'web', type: 'standard' }],
      flags: [{ id: 1, challenge_id: 1, type: 'static', content: 'flag{1}', data: null }],
      submissions: [aSubmission(1, { date: '2019-01-01T00:00:00' })],
      solves: [aSolve(1, 1)],
    },
    {},
    {
      ...{ hints: '', tags: '{}', pages: '{"results": []}', notifications: '{"meta": {"a": [1]}, "results": [ ]}' },
      ...{ awards: '{"count": 0, "results": [], "meta": {}}', files: '{"count": 0, "results": null}' },
    },
  )
  expect(await boardOf(report.gameId)).toEqual({ 'old hand': 10 })
})

test.each([
  [
    'tables of the first version',
    () => createExportZip({ config: createSettingRows('users'), keys: [{ id: 1 }] }),
    'Exports of CTFd 1 are not supported',
  ],
  [
    'an export that was packed with its parent folder',
    () => Buffer.from(zipSync({ 'my export/db/config.json': strToU8('{}') })),
    'The export is in the folder `my export` of the archive',
  ],
  [
    'a table that is a list',
    () => createExportZip({ config: createSettingRows('users') }, {}, { users: '[{"id": 1}]' }),
    'The table users does not have the format of CTFd',
  ],
  [
    'a table whose rows are missing',
    () => createExportZip({ config: createSettingRows('users') }, {}, { users: '{"count": 3, "results": null}' }),
    'The table users does not have the format of CTFd',
  ],
  [
    'a table with fewer rows than it states',
    () => createExportZip({ config: createSettingRows('users') }, {}, { users: '{"count": 3, "results": []}' }),
    'The table users does not have the format of CTFd',
  ],
  [
    'a table with other data',
    () => createExportZip({ config: createSettingRows('users') }, {}, { users: '{"meta": {"results": []}, "rows": []}' }),
    'The table users does not have the format of CTFd',
  ],
])('refuses %s with a sentence that gives the reason', async (_, zip, why) => {
  const response = await send(zip())
  expect([response.statusCode, response.json()]).toMatchObject([400, { detail: expect.stringContaining(why) }])
})

test('JSON text of any depth is accepted and reported', async () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const report = await importOf({
    challenges: [10, maxJsonDepth + 2, 200_000].map((depth, index) => aChallengeRow(index + 1, { requirements: nested(depth) })),
  })
  expect(findingsOf(report, 'challenges')).toEqual([
    'challenges.flags: converted 1 2 3',
    'challenges.requirements: left-out 1 2 3',
  ])
})

test('references between rows are resolved even if ids are large or negative', async () => {
  const big = 9_007_199_254_740_991
  const report = await importOf({
    users: [
      aUserRow(big, { name: 'far away', email: 'far@example.org' }),
      aUserRow(-3, { name: 'below', email: 'below@example.org' }),
    ],
    challenges: [aChallengeRow(big - 1)],
    flags: [aFlag(1, { challenge_id: big - 1 })],
    submissions: [aSubmission(big, { user_id: big, challenge_id: String(big - 1) })],
    solves: [aSolve(big, big, null, big - 1)],
  })
  expect(await boardOf(report.gameId)).toEqual({ 'far away': 100, below: 0 })
})

test('an export beyond the limits is refused', async () => {
  const challenges = Array.from({ length: ImportLimits.challenges }, (_, index) => aChallengeRow(index + 1))
  const users = Array.from({ length: ImportLimits.assignments / ImportLimits.challenges + 1 }, (_, index) => aUserRow(index + 1))
  const detailOf = async (tables: ExportTables) =>
    (await send(createExportZip({ config: createSettingRows('users'), ...tables }), true)).json().detail
  expect(await detailOf({ challenges: [...challenges, aChallengeRow(-1)] })).toContain('more than 1000 challenges')
  expect(await detailOf({ challenges, users })).toContain('more than 5000000 pairs of a team and a challenge')
  const report = await importOf({
    challenges: [aChallengeRow(1)],
    flags: Array.from({ length: InputLimits.maxFlagsPerCall + 1 }, (_, index) => aFlag(index + 1)),
  })
  expect(report.counts.flags).toBe(InputLimits.maxFlagsPerCall)
  expect(findingsOf(report, 'flags')).toEqual([`flags.: left-out ${InputLimits.maxFlagsPerCall + 1}`])
})
