import type { AdminGame } from '@capstan/contract/games'
import type { ReadyCounts } from '@capstan/contract/readiness'
import { expect, it } from 'vitest'
import { countOpenSteps, listStepsBeforeStart } from './before-start.ts'

const game = {
  ...{ summary: 'A day on the water.', content: '', poster: '/assets/poster', hidden: false, writeupRequired: false },
  ...{ start: '2026-11-21T08:00:00Z', end: '2026-11-22T08:00:00Z', writeupDeadline: '2026-11-22T08:00:00Z' },
} as AdminGame
const ready: ReadyCounts = { total: 2, enabled: 2, withoutFlag: 0, containers: 1, withoutImage: 0, untested: 0 }
const none: ReadyCounts = { ...ready, total: 0, enabled: 0, containers: 0 }

function stateOf(name: string, changed: Partial<AdminGame> = {}, counts: Partial<ReadyCounts> = {}) {
  return listStepsBeforeStart({ ...game, ...changed }, { ...ready, ...counts }).find((step) => step.name === name)?.state
}

it('a complete game has no open steps', () => {
  expect(countOpenSteps(game, ready)).toBe(0)
})

it('a new game has open steps for its text, its challenges and its publication, and needs no flags yet', () => {
  const fresh = { ...game, summary: ' ', poster: null, hidden: true }
  expect(countOpenSteps(fresh, none)).toBe(3)
  expect(listStepsBeforeStart(fresh, none).map(({ name, state }) => `${name} ${state}`)).toEqual([
    'times check',
    'text open',
    'poster note',
    'joining done',
    'challenges open',
    'published open',
  ])
})

it.each<[string, string, Partial<AdminGame>, Partial<ReadyCounts>]>([
  ['writeups that close with the game', 'writeup', { writeupRequired: true }, {}],
  ['challenges that players do not see', 'challenges', {}, { enabled: 0 }],
  ['a first challenge without a flag', 'flags', {}, { total: 1, enabled: 0, withoutFlag: 1 }],
  ['a container without an image', 'containers', {}, { withoutImage: 1 }],
  ['a container that never ran', 'containers', {}, { untested: 1 }],
])('reports %s as an open step', (_what, name, changed, counts) => {
  expect(stateOf(name, changed, counts)).toBe('open')
})

it.each<[string, string, Partial<AdminGame>, Partial<ReadyCounts>]>([
  ['no poster', 'poster', { poster: null }, {}],
  ['a challenge that is not enabled', 'challenges', {}, { enabled: 1 }],
  ['a draft without a flag beside challenges that players see', 'flags', {}, { enabled: 1, withoutFlag: 1 }],
])('reports %s as a note', (_what, name, changed, counts) => {
  expect(stateOf(name, changed, counts)).toBe('note')
})

it('the step for the game times is done after an organizer has published the game', () => {
  expect([stateOf('times', { hidden: true }), stateOf('times')]).toEqual(['check', 'done'])
})
