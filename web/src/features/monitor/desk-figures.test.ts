import type { DeskChallenge, DeskMinute, GameDesk } from '@capstan/contract/desk'
import { describe, expect, it, test } from 'vitest'
import {
  listConcerns,
  meanPerMinute,
  mergeBloodsAndSuspicions,
  shareOfCorrectSubmissions,
  sortChallengesBySeverity,
  summarizeLastHour,
} from './desk-figures.ts'

function minute(submissions: number, accepted = 0, starts = 0): DeskMinute {
  return { submissions, accepted, starts }
}
const failure = {
  ...{ challengeId: 7, challenge: 'Heap', image: 'heap:1', count: 3, lastAt: '2030-01-01T10:00:00Z' },
  ...{ reason: 'Gone.', reasonCode: null },
}
const calm: GameDesk = {
  time: '2030-01-01T10:00:00Z',
  minutes: [],
  instances: { running: 0, starting: 0, failing: 0, tests: 0 },
  failures: [],
  review: { waiting: 0, since: null },
  cheats: { lastHour: 0, total: 4 },
  bloods: [],
  challenges: [],
  movers: [],
  stuck: [],
  suspicions: [],
  summary: { teams: 0, scored: 0, solves: 0, leaders: [] },
  connections: { gateways: 1, players: 0, monitors: 1, proxied: 0 },
  hasCertificates: false,
}

function challenge(title: string, values: Partial<DeskChallenge> = {}): DeskChallenge {
  return {
    ...{ id: 1, title, category: 'Web', score: 500, solved: 0, right: 0, wrong: 0, teams: 0 },
    ...values,
  }
}
/** Challenge that no team solved, and for which four teams submit wrong flags. */
const broken = challenge('Broken', { wrong: 12, teams: 4 })

describe('the statistics of the last hour', () => {
  it('the rate is the mean of the last five minutes', () => {
    expect(meanPerMinute([100, 1, 2, 3, 4, 5])).toBe(3)
  })

  it('the statistics contain the total of the last hour, and the count of its busiest minute', () => {
    const { total, most } = summarizeLastHour([minute(4), minute(9), minute(2)], 'submissions')
    expect([total, most]).toEqual([15, 9])
  })

  it('the share of correct submissions is undefined if there are no submissions', () => {
    expect(shareOfCorrectSubmissions([minute(0)])).toBeUndefined()
    expect(shareOfCorrectSubmissions([minute(6, 1), minute(2, 1)])).toBe(0.25)
  })
})

describe('the list of things that need attention', () => {
  it('the list is empty if no problem remains', () => {
    expect(listConcerns(calm, true)).toEqual([])
  })

  it('the list contains failures first, then suspicious challenges, cheats and pending reviews', () => {
    const busy: GameDesk = {
      ...calm,
      connections: { ...calm.connections, gateways: 0 },
      review: { waiting: 2, since: '2030-01-01T09:00:00Z' },
      cheats: { lastHour: 1, total: 5 },
      failures: [failure],
      challenges: [challenge('Fine', { solved: 3, wrong: 40, teams: 9 }), broken],
    }
    const kinds = listConcerns(busy, false).map(({ kind }) => kind)
    expect(kinds).toEqual(['gateways', 'image', 'unsolved', 'cheats', 'review'])
  })

  it('the list contains no gateway failure while this browser is connected to a gateway', () => {
    const unheard = { ...calm, connections: { ...calm.connections, gateways: 0 } }
    expect(listConcerns(unheard, true)).toEqual([])
    expect(listConcerns(unheard, false)).toEqual([{ kind: 'gateways' }])
  })

  it('the list omits challenges that only one team attempts, and challenges that at least one team solved', () => {
    const challenges = [challenge('Hard', { wrong: 90, teams: 2 }), challenge('Solved', { solved: 1, wrong: 90, teams: 9 })]
    expect(listConcerns({ ...calm, challenges }, true)).toEqual([])
  })
})

test('the list of challenges starts with suspicious ones', () => {
  const sorted = sortChallengesBySeverity([challenge('Few', { solved: 1 }), challenge('Many', { solved: 9 }), broken])
  expect(sorted.map(({ title }) => title)).toEqual(['Broken', 'Many', 'Few'])
})

test('the feed merges bloods and suspicions, newest first', () => {
  const at = (minute: number) => `2030-01-01T10:0${minute}:00Z`
  const lines = mergeBloodsAndSuspicions({
    bloods: [3, 1].map((minute) => ({ time: at(minute), type: 'FirstBlood', team: 'Reds', challenge: 'Heap' })),
    suspicions: [{ time: at(2), team: 'Blues', owner: 'Reds', challenge: 'Heap' }],
  })
  expect(lines.map(({ kind }) => kind)).toEqual(['blood', 'suspicion', 'blood'])
})
