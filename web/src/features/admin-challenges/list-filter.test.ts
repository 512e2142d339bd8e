import type { ChallengeBrief } from '@capstan/contract/challenges'
import { expect, it } from 'vitest'
import { findNeighbors, groupChallenges, type LabelsById, type ListFilter } from './list-filter.ts'

const challenges = [
  { id: 1, title: 'Buoy', category: 'Web', isEnabled: true },
  { id: 2, title: 'Anchor', category: 'Web', isEnabled: false },
  { id: 3, title: 'Lantern', category: 'Crypto', isEnabled: true },
] as ChallengeBrief[]
const labels: LabelsById = new Map([
  [1, { tags: ['Warm-up'], difficulty: 'easy' }],
  [3, { tags: ['rsa', 'warm-up'], difficulty: 'hard' }],
])
function titles(filter: Partial<ListFilter>) {
  return groupChallenges(challenges, labels, { search: '', shown: 'all', difficulty: '', tag: '', ...filter }).flatMap((group) =>
    group.challenges.map(({ title }) => title),
  )
}

it.each<[Partial<ListFilter>, string[]]>([
  [{}, ['Lantern', 'Anchor', 'Buoy']],
  [{ search: 'RSA' }, ['Lantern']],
  [{ search: 'warm' }, ['Lantern', 'Buoy']],
  [{ search: '^web$' }, ['Anchor', 'Buoy']],
  [{ tag: 'warm-up', shown: 'enabled' }, ['Lantern', 'Buoy']],
  [{ difficulty: 'easy' }, ['Buoy']],
  [{ difficulty: 'hard', tag: 'Warm-up', search: 'buoy' }, []],
])('the filter %j finds %j', (filter, found) => {
  expect(titles(filter)).toEqual(found)
})

it.each([
  [3, undefined, 'Anchor', 1],
  [2, 'Lantern', 'Buoy', 2],
  [1, 'Anchor', undefined, 3],
  [9, undefined, undefined, 0],
])('challenge %i has the neighbors %s and %s, and position %i', (id, previous, next, position) => {
  const neighbors = findNeighbors(challenges, id)
  expect([neighbors.previous?.title, neighbors.next?.title, neighbors.position]).toEqual([previous, next, position])
})
