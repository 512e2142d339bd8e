import type { CheatRecord } from '@capstan/contract/submissions'
import { describe, expect, it } from 'vitest'
import { pairsOf } from './cheat-pairs.ts'

const participation = (id: number) => ({
  id: id * 10,
  team: { id, name: `Team ${id}`, avatar: null },
  status: 'Accepted' as const,
  organization: null,
})

const record = (owner: number, submitter: number, minute: number): CheatRecord => ({
  ownedTeam: participation(owner),
  submitTeam: participation(submitter),
  submission: {
    answer: 'flag{x}',
    status: 'CheatDetected',
    time: new Date(Date.UTC(2026, 4, 1, 12, minute)).toISOString(),
    user: 'mira',
    team: `Team ${submitter}`,
    challenge: 'Winch Lock',
  },
})

describe('cheats by pair of teams', () => {
  it('puts both directions into one pair and says so', () => {
    const [pair, ...rest] = pairsOf([record(1, 2, 0), record(2, 1, 1)])
    expect(rest).toEqual([])
    expect(pair?.isMutual).toBe(true)
    expect(pair?.records.map(({ ownedTeam }) => ownedTeam.team.id)).toEqual([2, 1])
  })

  it('shows the pair with most records first, then the newest', () => {
    const pairs = pairsOf([record(1, 2, 0), record(3, 4, 9), record(5, 6, 1), record(5, 6, 2)])
    expect(pairs.map(({ key }) => key)).toEqual(['5 6', '3 4', '1 2'])
    expect(pairs[0]?.isMutual).toBe(false)
  })

  it('keeps pairs apart that share one team', () => {
    expect(pairsOf([record(1, 2, 0), record(1, 3, 0)])).toHaveLength(2)
  })
})
