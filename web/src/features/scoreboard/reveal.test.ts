import { noSubmissionTime } from '@capstan/contract/board-rules'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { describe, expect, it } from 'vitest'
import { computeRowsAfterSteps, planRevealSteps, type Reveal } from './reveal.ts'

const minuteMs = 60_000
const start = Date.parse('2026-05-01T10:00:00.000Z')
function at(minute: number) {
  return new Date(start + minute * minuteMs).toISOString()
}

type Solved = readonly [challenge: number, minute: number, points: number]

function aTeam(id: number, solved: readonly Solved[], more: Partial<ScoreboardTeam> = {}): ScoreboardTeam {
  const { awards = [], boughtHints = [], foundFlags = [] } = more
  const counted = [...solved.filter(([, , points]) => points > 0).map(([, minute]) => at(minute))]
  const flagTimes = foundFlags.map(({ time }) => new Date(time).toISOString())
  return {
    id,
    name: `Team ${id}`,
    bio: null,
    organization: null,
    avatar: null,
    score:
      solved.reduce((sum, [, , points]) => sum + points, 0) +
      [...awards, ...foundFlags].reduce((sum, { points }) => sum + points, 0) -
      boughtHints.reduce((sum, { price }) => sum + price, 0),
    rank: 0,
    organizationRank: null,
    lastSubmissionTime: [...counted, ...flagTimes].sort().at(-1) ?? noSubmissionTime,
    solvedChallenges: solved.map(([challenge, minute, score]) => ({
      ...{ id: challenge, score, type: 'Normal' as const, userName: null, time: at(minute) },
    })),
    solvedCount: solved.length,
    ...more,
  }
}

/** Returns the teams in the order of a board. */
function ranked(teams: readonly ScoreboardTeam[]): ScoreboardTeam[] {
  const timeOf = ({ lastSubmissionTime }: ScoreboardTeam) => (lastSubmissionTime === noSubmissionTime ? '9' : lastSubmissionTime)
  return teams
    .toSorted(
      (one, other) =>
        other.score - one.score || (timeOf(one) < timeOf(other) ? -1 : timeOf(one) > timeOf(other) ? 1 : one.id - other.id),
    )
    .map((team, index) => ({ ...team, rank: index + 1 }))
}

function shown(reveal: Reveal, count: number) {
  return computeRowsAfterSteps(reveal, count).map(({ team, score, hidden }) => [team.id, score, hidden])
}

describe('the reveal of a frozen board', () => {
  it('a reveal begins with the hidden solves of the last team, and moves this team up', () => {
    const frozen = ranked([aTeam(1, [[7, 1, 300]]), aTeam(2, [[8, 2, 200]]), aTeam(3, [])])
    const live = ranked([
      aTeam(1, [
        [7, 1, 300],
        [9, 40, 50],
      ]),
      aTeam(2, [[8, 2, 200]]),
      aTeam(3, [
        [9, 30, 50],
        [10, 31, 200],
      ]),
    ])
    const reveal = planRevealSteps(frozen, live)
    expect(reveal.steps.map((step) => step.kind === 'gain' && [step.teamId, step.gain.challengeId, step.from, step.to])).toEqual([
      [3, 9, 2, 2],
      [3, 10, 2, 1],
      [1, 9, 0, 0],
    ])
    expect(shown(reveal, 0)).toEqual([
      [1, 300, 1],
      [2, 200, 0],
      [3, 0, 2],
    ])
    expect(shown(reveal, 2)).toEqual([
      [1, 300, 1],
      [3, 250, 0],
      [2, 200, 0],
    ])
    expect(shown(reveal, 3)).toEqual([
      [1, 350, 0],
      [3, 250, 0],
      [2, 200, 0],
    ])
  })

  it('the first step of the reveal sets the current values of challenges and subtracts all lost points', () => {
    const frozen = ranked([aTeam(1, [[7, 1, 300]]), aTeam(2, [[8, 2, 200]])])
    const live = ranked([
      aTeam(1, [[7, 1, 250]], { boughtHints: [{ price: 60, time: start + 30 * minuteMs }] }),
      aTeam(2, [
        [8, 2, 200],
        [7, 35, 250],
      ]),
    ])
    const reveal = planRevealSteps(frozen, live)
    expect(shown(reveal, 0)).toEqual([
      [1, 300, 0],
      [2, 200, 1],
    ])
    expect(reveal.steps[0]).toEqual({ kind: 'values' })
    expect(shown(reveal, 1)).toEqual([
      [2, 200, 1],
      [1, 190, 0],
    ])
    expect(shown(reveal, 2)).toEqual([
      [2, 450, 0],
      [1, 190, 0],
    ])
  })

  it('the reveal has no steps if the boards are equal', () => {
    const teams = ranked([aTeam(1, [[7, 1, 300]]), aTeam(2, [])])
    expect(planRevealSteps(teams, teams).steps).toEqual([])
  })

  it('the reveal shows a team that joined after the freeze, and omits a team that left', () => {
    const reveal = planRevealSteps(ranked([aTeam(1, []), aTeam(2, [])]), ranked([aTeam(1, []), aTeam(3, [[7, 30, 10]])]))
    expect(shown(reveal, 1)).toEqual([
      [1, 0, 0],
      [3, 0, 1],
    ])
    expect(shown(reveal, 2)).toEqual([
      [3, 10, 0],
      [1, 0, 0],
    ])
  })

  it('the reveal shows found flags and points given by organizers as steps', () => {
    const later = start + 30 * minuteMs
    const live = aTeam(1, [], { foundFlags: [{ id: 7, points: 20, time: later }], awards: [{ points: 5, time: later + 1 }] })
    const { steps } = planRevealSteps([aTeam(1, [])], [live])
    expect(steps.map((step) => step.kind === 'gain' && [step.gain.kind, step.gain.points])).toEqual([
      ['flag', 20],
      ['award', 5],
    ])
  })
})

/** Returns a generator of random integers from 0 to `bound` - 1. It is the linear congruential generator of Numerical Recipes. */
function numbersFrom(seed: number) {
  let state = seed
  return (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

/** Returns a frozen and a live board with random solves, flags, awards and purchases. Later solves lower the values of challenges. */
function boardsFrom(seed: number) {
  const next = numbersFrom(seed)
  const teamCount = 1 + next(8)
  const solves = Array.from({ length: teamCount }, () =>
    [1, 2, 3, 4, 5].filter(() => next(2) === 0).map((challenge) => ({ challenge, minute: next(60) })),
  )
  const extras = Array.from({ length: teamCount }, () => ({
    ...{
      award: next(3) === 0 ? next(80) - 40 : 0,
      hint: next(4) === 0 ? next(30) : 0,
      flag: next(4) === 0 ? 10 : 0,
      minute: next(60),
    },
  }))
  const joinedAt = Array.from({ length: teamCount }, () => (next(8) === 0 ? 45 : 0))
  const valueAt = (challenge: number, end: number) => {
    const solvers = solves.flat().filter((solve) => solve.challenge === challenge && solve.minute < end).length
    return challenge === 5 ? 0 : Math.max(10, 100 - 15 * solvers)
  }
  const boardAt = (end: number) =>
    ranked(
      solves.flatMap((own, index) => {
        const { award, hint, flag, minute } = extras[index]!
        if (joinedAt[index]! >= end) return []
        const visible = own.filter((solve) => solve.minute < end).sort((one, other) => one.minute - other.minute)
        const time = start + minute * minuteMs
        const isSeen = minute < end
        return aTeam(
          index + 1,
          visible.map((solve) => [solve.challenge, solve.minute, valueAt(solve.challenge, end)] as const),
          {
            ...(isSeen && award !== 0 && { awards: [{ points: award, time }] }),
            ...(isSeen && hint > 0 && { boughtHints: [{ price: hint, time }] }),
            ...(isSeen && flag > 0 && { foundFlags: [{ id: 6, points: flag, time }] }),
          },
        )
      }),
    )
  return { frozen: boardAt(30), live: boardAt(60) }
}

describe('the reveal of a randomly generated board', () => {
  it('the reveal leads from the frozen to the live rows, and shows all hidden points once, from the last team up', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const { frozen, live } = boardsFrom(seed)
      const reveal = planRevealSteps(frozen, live)
      const rows = (count: number) => computeRowsAfterSteps(reveal, count)
      const idsAndScores = (list: readonly ScoreboardTeam[]) => list.map(({ id, score }) => [id, score])
      expect(
        rows(0).map(({ team, score }) => [team.id, score]),
        `seed ${seed}`,
      ).toEqual(idsAndScores(frozen))
      const end = rows(reveal.steps.length)
      expect(
        end.map(({ team, score }) => [team.id, score]),
        `seed ${seed}`,
      ).toEqual(idsAndScores(live))
      expect(end.every(({ hidden }) => hidden === 0)).toBe(true)
      for (const [index, step] of reveal.steps.entries()) {
        if (step.kind === 'values') continue
        const [before, after] = [rows(index), rows(index + 1)]
        expect(
          before.findLastIndex(({ hidden }) => hidden > 0),
          `seed ${seed}`,
        ).toBe(step.from)
        expect([before[step.from]?.team.id, after[step.to]?.team.id], `seed ${seed}`).toEqual([step.teamId, step.teamId])
        expect(step.to, `seed ${seed}`).toBeLessThanOrEqual(step.from)
      }
    }
  })
})
