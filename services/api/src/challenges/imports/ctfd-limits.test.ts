import { Limits } from '@capstan/contract/limits'
import { expect, test } from 'vitest'
import { convertCtfdChallenges } from './ctfd-challenges.ts'
import { convertCtfdQuestions } from './ctfd-questions.ts'
import { type CtfdTables, Row } from './ctfd-tables.ts'
import { Findings } from './findings.ts'

const names = ['challenges', 'dynamic_challenge', 'fields', 'field_entries', 'files', 'flags', 'hints', 'tags'] as const

/** Returns the tables of an export. A table is empty if no rows are given for it. */
function tablesOf(given: Partial<Record<(typeof names)[number], readonly object[]>>): CtfdTables {
  const rows = names.map((name) => [name, (given[name] ?? []).map((values) => new Row({ ...values }))])
  return Object.fromEntries(rows) as CtfdTables
}

function reasonsOf(findings: Findings) {
  return findings.list().map(({ table, field, outcome, why, rows }) => [table, field, outcome, why, rows])
}

test.each([
  [Limits.maxPrerequisites, []],
  [
    Limits.maxPrerequisites + 1,
    [['challenges', 'requirements', 'left-out', `A challenge has at most ${Limits.maxPrerequisites} prerequisites.`, [999]]],
  ],
])('of %i prerequisites at most 100 are imported, and further ones are reported', (count, expected) => {
  const ids = Array.from({ length: count }, (_, index) => index + 1)
  const others = ids.map((id) => ({ id, name: `c${id}`, category: 'web' }))
  const last = { id: 999, name: 'Last', category: 'web', requirements: { prerequisites: ids } }
  const findings = new Findings()
  const archive = {} as Parameters<typeof convertCtfdChallenges>[2]
  const challenges = convertCtfdChallenges(tablesOf({ challenges: [...others, last] }), new Map(), archive, 1, findings)
  expect(challenges.at(-1)?.after).toHaveLength(Limits.maxPrerequisites)
  expect(reasonsOf(findings).filter(([, field]) => field === 'requirements')).toEqual(expected)
})

test('if a team has two answers to a question, the import reports and omits the second answer', () => {
  const tables = tablesOf({
    fields: [{ id: 1, name: 'School', type: 'team', field_type: 'text' }],
    field_entries: [
      { id: 1, field_id: 1, team_id: 7, value: 'Hill' },
      { id: 2, field_id: 1, team_id: 7, value: 'Dale' },
    ],
  })
  const team = { key: 7, name: 'T', division: null, isShown: true, captainId: 'a', memberIds: ['a'] }
  const findings = new Findings()
  const people = { mode: 'teams', users: new Map(), teams: new Map([[7, team]]) } as const
  const { answers } = convertCtfdQuestions(tables, people, findings)
  expect(answers.map(({ values }) => values)).toEqual([['Hill']])
  expect(reasonsOf(findings)).toEqual([
    ['field_entries', '', 'left-out', 'Another row already has an answer to this field.', [2]],
  ])
})
