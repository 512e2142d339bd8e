import { expect, test } from 'vitest'
import {
  type Finding,
  findMatchingFlagId,
  listFlagsToFind,
  type StoredFlagRule,
  selectFindingsOfLastFlag,
  selectFirstFindingOfEachFlag,
} from './parts.ts'

function aFlag(id: number, flag: string, points: number | null, kind: StoredFlagRule['kind'] = 'Exact'): StoredFlagRule {
  return { id, flag, kind, points }
}
const start = Date.parse('2026-01-01T00:00:00Z')
function aFinding(participationId: number, flagId: number, minute: number, submissionId = minute): Finding {
  return { participationId, flagId, submissionId, userId: null, foundAt: new Date(start + minute * 60_000) }
}

test('if no flag has points, one flag solves the challenge', () => {
  expect(listFlagsToFind([aFlag(1, 'one', null), aFlag(2, 'two', null)])).toEqual([])
})

test('if one flag of a challenge has points, even 0, a team must find all flags', () => {
  expect(listFlagsToFind([aFlag(1, 'one', null), aFlag(2, 'two', 0)])).toEqual([
    { id: 1, flag: 'one', kind: 'Exact', points: 0 },
    { id: 2, flag: 'two', kind: 'Exact', points: 0 },
  ])
})

test('an answer is compared with exact flags, then with case-insensitive flags, then with patterns, each group sorted by id', () => {
  const flags = [aFlag(1, '.*', 5, 'Pattern'), aFlag(2, 'ONE', 5, 'Caseless'), aFlag(4, 'two', 5), aFlag(3, 'one', 5)]
  const parts = listFlagsToFind(flags)
  expect(parts.map(({ id }) => id)).toEqual([3, 4, 2, 1])
  expect(['one', 'One', 'two', 'three'].map((answer) => findMatchingFlagId(parts, answer))).toEqual([3, 2, 4, 1])
})

test('a wrong answer matches no flag', () => {
  expect(findMatchingFlagId(listFlagsToFind([aFlag(1, 'one', 5)]), 'two')).toBeUndefined()
})

test('finds the first submission of each team for each flag, and prefers the lower id if the times are equal', () => {
  const first = [aFinding(1, 7, 3, 30), aFinding(1, 8, 4), aFinding(2, 7, 5)]
  expect(selectFirstFindingOfEachFlag([aFinding(1, 7, 4), aFinding(1, 7, 3, 31), ...first])).toEqual(first)
})

test('a team solves the challenge with the last flag that it finds', () => {
  const last = aFinding(1, 7, 9)
  const found = [last, aFinding(1, 8, 2), aFinding(2, 7, 1), aFinding(2, 99, 3)]
  expect(selectFindingsOfLastFlag(found, new Set([7, 8]))).toEqual([last])
})
