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
])('of %i prerequisites, at most 100 are imported, and all others are reported', (count, expected) => {
  const ids = Array.from({ length: count }, (_, index) => index + 1)
  const others = ids.map((id) => ({ id, name: `c${id}`, category: 'web' }))
  const last = { id: 999, name: 'Last', category: 'web', requirements: { prerequisites: ids } }
  const findings = new Findings()
  const archive = {} as Parameters<typeof convertCtfdChallenges>[2]
  const challenges = convertCtfdChallenges(tablesOf({ challenges: [...others, last] }), new Map(), archive, 1, findings)
  expect(challenges.at(-1)?.after).toHaveLength(Limits.maxPrerequisites)
  expect(reasonsOf(findings).filter(([, field]) => field === 'requirements')).toEqual(expected)
})

test.each([
  [0, 0, false],
  [-1, 0, false],
  [Limits.maxSubmissionLimit, Limits.maxSubmissionLimit, false],
  [Limits.maxSubmissionLimit + 1, Limits.maxSubmissionLimit, true],
  [2.5, 3, true],
])('%d as the maximum number of attempts becomes %i, and a change is reported', (given, expected, isReported) => {
  const findings = new Findings()
  const archive = {} as Parameters<typeof convertCtfdChallenges>[2]
  const row = { id: 4, name: 'A', category: 'web', max_attempts: given }
  const [planned] = convertCtfdChallenges(tablesOf({ challenges: [row] }), new Map(), archive, 1, findings)
  expect(planned?.challenge.submissionLimit).toBe(expected)
  expect(reasonsOf(findings).filter(([, field]) => field === 'max_attempts')).toHaveLength(isReported ? 1 : 0)
})

test.each([
  ['decay', { initial: 100, minimum: 50, decay: -3 }, 'static'],
  ['decay', { initial: 100, minimum: 50, decay: 2e9 }, 'parabola'],
  ['minimum', { initial: 100, minimum: -50, decay: 10 }, 'parabola'],
  ['minimum', { initial: 100, minimum: 0.4, decay: 10 }, 'parabola'],
])('reports the field %s of a curve if this platform does not support its value', (field, curve, expected) => {
  const findings = new Findings()
  const archive = {} as Parameters<typeof convertCtfdChallenges>[2]
  const tables = tablesOf({
    challenges: [{ id: 4, name: 'A', category: 'web', type: 'dynamic', value: 100 }],
    dynamic_challenge: [{ id: 4, ...curve }],
  })
  const [planned] = convertCtfdChallenges(tables, new Map(), archive, 1, findings)
  expect(planned?.challenge.curve).toBe(expected)
  expect(reasonsOf(findings).filter(([table]) => table === 'challenges')).toContainEqual(
    expect.arrayContaining(['challenges', field, 'converted', [4]]),
  )
})

test('if a team has two answers to a field, the second answer is omitted and reported', () => {
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
