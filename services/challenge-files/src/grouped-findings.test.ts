import { expect, it } from 'vitest'
import { groupFindings } from './grouped-findings.ts'
import type { Finding } from './report.ts'

const note: Finding = { file: 'a', line: 1, field: 'x', outcome: 'left-out', why: 'No counterpart.' }
const action: Finding = { ...note, why: 'Disabled.', advice: 'Enable it.', repair: 'enable' }
const refusal: Finding = { ...note, outcome: 'refused', why: 'Not text.' }

it('groups of findings are in this order: refusals, findings that need an action, notes', () => {
  const groups = groupFindings([note, note, note, action, action, refusal])
  expect(groups.map(({ urgency, count, why }) => [urgency, count, why])).toEqual([
    ['refused', 1, 'Not text.'],
    ['action', 2, 'Disabled.'],
    ['note', 3, 'No counterpart.'],
  ])
  expect(groups[1]).toMatchObject({ advice: 'Enable it.', repair: 'enable' })
  expect(groups[2]).not.toHaveProperty('advice')
})

it('groups of the same urgency are listed with the largest first', () => {
  const other = { ...action, why: 'No limit.' }
  expect(groupFindings([action, other, other]).map(({ why }) => why)).toEqual(['No limit.', 'Disabled.'])
})

it('findings that differ in outcome, reason, advice or repair are in different groups', () => {
  const { repair: _, ...withoutRepair } = action
  const same = { ...action, file: 'b', line: 7, field: 'y' }
  const groups = groupFindings([action, same, { ...action, advice: 'Test it.' }, withoutRepair])
  expect(groups.map(({ count }) => count)).toEqual([2, 1, 1])
})

it('a group counts all its findings and contains the first five', () => {
  const many = Array.from({ length: 7 }, (_, index) => ({ ...note, line: index + 1 }))
  const [group] = groupFindings(many)
  expect(group?.count).toBe(7)
  expect(group?.findings.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
})
