import type { ImportReport } from '@capstan/contract/imports'
import { Limits } from '@capstan/contract/limits'
import type { EditedQuestion } from '@capstan/contract/questions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import {
  aChallengeRow,
  aUserRow,
  createExportZip,
  createSettingRows,
  type ExportRow,
  type ExportTables,
} from './testing/ctfd-export.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

async function importOf(tables: ExportTables): Promise<ImportReport> {
  const zip = createExportZip({ challenges: [aChallengeRow(1)], ...tables })
  const response = await admin.upload('POST', '/api/admin/imports/ctfd', [{ name: 'export.zip', content: zip }])
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json()
}

function findingsOf({ findings }: ImportReport, table: string): string[] {
  return findings
    .filter((finding) => finding.table === table)
    .map(({ field, outcome, rows }) => `${field}: ${outcome} ${rows.join(' ')}`)
    .sort()
}

async function gameOf({ gameId }: ImportReport) {
  const [game] = await context.sql<
    { freeze: Date | null; revealed: Date | null; limit: number | null; questions: EditedQuestion[] }[]
  >`select freeze_at as freeze, revealed_at as revealed, team_limit as limit, questions from games where id = ${gameId}`
  return game!
}

/** The game starts at 1,700,000,000 and ends at 1,700,086,400. */
test.each([
  ['during the game', '1700050000', '2023-11-15T12:06:40.000Z', ['freeze: converted 5']],
  ['at the end', '1700086400', '2023-11-15T22:13:20.000Z', ['freeze: converted 5']],
  ['at the start', '1700000000', undefined, ['freeze: left-out 5']],
  ['after the end', '1700086401', undefined, ['freeze: left-out 5']],
  ['that is empty', '', undefined, []],
])(
  'a freeze %s is imported only if it is during the game, and the imported board remains frozen',
  async (_, freeze, expected, findings) => {
    const [name, about, mode, start, end] = createSettingRows('users', { freeze })
    const settings = [name!, about!, mode!, start!, end!].map((row, index) => ({ ...row, id: 10 + index }))
    const report = await importOf({ config: [...settings, { id: 5, key: 'freeze', value: freeze }] })
    const game = await gameOf(report)
    expect([game.freeze && new Date(game.freeze).toISOString(), game.revealed]).toEqual([expected ?? null, null])
    expect(findingsOf(report, 'config')).toEqual(findings)
  },
)

test.each([
  ['teams', { num_teams: '12', num_users: '40' }, 12, ['num_users: left-out 7']],
  ['users', { num_teams: '12', num_users: '40' }, 40, ['num_teams: left-out 6']],
  ['teams', { num_teams: '0' }, null, []],
  ['teams', { num_teams: 'many' }, null, []],
] as const)(
  'for the mode %s, the import uses only the matching limit of the settings %o',
  async (mode, settings, limit, findings) => {
    const report = await importOf({ config: createSettingRows(mode, settings) })
    expect((await gameOf(report)).limit).toBe(limit)
    expect(findingsOf(report, 'config')).toEqual(findings)
  },
)

function aField(id: number, more: ExportRow = {}): ExportRow {
  return {
    ...{ id, name: `Field ${id}`, type: 'user', field_type: 'text', description: null, required: false, public: false },
    ...{ editable: false, ...more },
  }
}

function anEntry(id: number, fieldId: number, more: ExportRow): ExportRow {
  return { id, type: 'user', field_id: fieldId, user_id: null, team_id: null, ...more }
}

test('custom fields become questions, and their values become answers of teams and members', async () => {
  const report = await importOf({
    config: createSettingRows('teams'),
    users: [
      aUserRow(1, { name: 'fields captain', email: 'fields-1@example.org', team_id: 7 }),
      aUserRow(2, { name: 'fields member', email: 'fields-2@example.org', team_id: 7 }),
      aUserRow(3, { name: 'fields alone', email: 'fields-3@example.org' }),
    ],
    teams: [{ id: 7, name: 'Field team', captain_id: 1 }],
    fields: [
      aField(1, { name: 'Shirt', description: 'S, M or L', required: true }),
      aField(2, { name: 'I am a student', field_type: 'boolean' }),
      aField(3, { name: 'School', type: 'team', public: true, editable: true }),
      aField(4, { name: 'Shirt' }),
      aField(5, { name: '', description: 'd'.repeat(2_000) }),
    ],
    field_entries: [
      anEntry(1, 1, { user_id: 1, value: 'M' }),
      anEntry(2, 1, { user_id: 2, value: '"L"' }),
      anEntry(3, 2, { user_id: 1, value: true }),
      anEntry(4, 2, { user_id: 2, value: false }),
      anEntry(5, 3, { type: 'team', team_id: 7, value: 'Hill School' }),
      anEntry(6, 4, { user_id: 1, value: 'two\nlines' }),
      anEntry(7, 5, { user_id: 2, value: 'x'.repeat(5_000) }),
      anEntry(8, 1, { user_id: 3, value: 'S' }),
      anEntry(9, 99, { user_id: 1, value: 'lost' }),
    ],
  })
  const { questions } = await gameOf(report)
  expect(questions.map(({ scope, kind, title, help, required }) => [scope, kind, title, help.length, required])).toEqual([
    ['Member', 'ShortText', 'Shirt', 9, true],
    ['Member', 'Consent', 'I am a student', 0, false],
    ['Team', 'ShortText', 'School', 0, false],
    ['Member', 'LongText', 'Shirt (4)', 0, false],
    ['Member', 'LongText', 'Field', Limits.maxQuestionHelpLength, false],
  ])
  const answers = await context.sql<{ name: string | null; question: string; value: string }[]>`
    select user_name as name, question_id as question, values[1] as value
    from registration_answers left join users on users.id = user_id where game_id = ${report.gameId} order by registration_answers.id`
  const titles = new Map(questions.map(({ id, title }) => [id, title]))
  expect(answers.map(({ name, question, value }) => [name, titles.get(question), value.slice(0, 11), value.length])).toEqual([
    ['fields captain', 'Shirt', 'M', 1],
    ['fields member', 'Shirt', 'L', 1],
    ['fields captain', 'I am a student', 'yes', 3],
    [null, 'School', 'Hill School', 11],
    ['fields captain', 'Shirt (4)', 'two\nlines', 9],
    ['fields member', 'Field', 'x'.repeat(11), Limits.maxLongAnswerLength],
  ])
  expect(findingsOf(report, 'fields')).toEqual([
    'description: converted 5',
    'editable: left-out 3',
    'name: converted 4 5',
    'public: left-out 3',
  ])
  expect(findingsOf(report, 'field_entries')).toEqual(['field_id: left-out 9', 'user_id: left-out 8', 'value: converted 7'])
})

test('the import of a CTFd event without teams omits all custom fields of teams', async () => {
  const report = await importOf({
    config: createSettingRows('users'),
    fields: [aField(900, { type: 'team' }), ...Array.from({ length: Limits.maxQuestions + 1 }, (_, index) => aField(index + 1))],
  })
  expect((await gameOf(report)).questions).toHaveLength(Limits.maxQuestions)
  expect(findingsOf(report, 'fields')).toEqual([`: left-out ${Limits.maxQuestions + 1}`, 'type: left-out 900'])
})
