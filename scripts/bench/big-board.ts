import { ChallengeCategory } from '@capstan/contract/challenges'
import type { BoardChallenge, Scoreboard, ScoreboardTeam, SolvedChallenge } from '@capstan/contract/scoreboard'
import { seededRandom } from '../data/random.ts'

const startMs = Date.UTC(2026, 4, 1, 10)
const gameMs = 48 * 3_600_000

function markOf(chance: number): SolvedChallenge['type'] {
  return chance < 0.02 ? 'FirstBlood' : chance < 0.04 ? 'SecondBlood' : 'Normal'
}

/** A scoreboard as the api sends it: strong teams first, each with the challenges it solved. */
export function bigBoard(teamCount: number, challengeCount: number): Scoreboard {
  const random = seededRandom(7)
  const categories = ChallengeCategory.enum
  const all = Array.from({ length: challengeCount }, (_, index): BoardChallenge => {
    const category = categories[Math.floor((index / challengeCount) * categories.length)] ?? 'Misc'
    return { id: index + 1, title: `Challenge number ${index + 1}`, category, score: 100 + index, solved: 500, bloods: [] }
  })
  const solvesOf = (place: number) =>
    all
      .filter(() => random() < 0.7 * (1 - place / teamCount) + 0.05)
      .map(({ id, score }): SolvedChallenge => {
        const time = new Date(startMs + random() * gameMs).toISOString()
        return { id, score, type: markOf(random()), userName: `player${place}`, time }
      })
  const items = Array.from({ length: teamCount }, (_, index): ScoreboardTeam => {
    const solvedChallenges = solvesOf(index)
    return {
      id: index + 1,
      name: `Team ${index + 1} of the harbour`,
      bio: null,
      organization: null,
      avatar: null,
      score: (teamCount - index) * 10,
      rank: index + 1,
      organizationRank: null,
      lastSubmissionTime: new Date(startMs + gameMs).toISOString(),
      solvedChallenges,
      solvedCount: solvedChallenges.length,
    }
  })
  return {
    updateTimeUtc: new Date(startMs + gameMs).toISOString(),
    bloodBonus: 0,
    timeLines: { all: [] },
    items,
    challenges: Object.fromEntries(categories.map((name) => [name, all.filter(({ category }) => category === name)])),
    challengeCount,
  }
}
