import type { BoardChallenge, Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'

type GameResults = Readonly<{
  podium: readonly ScoreboardTeam[]
  own: ScoreboardTeam | undefined
  challenges: readonly BoardChallenge[]
  /** Teams with the most first bloods. */
  bloods: readonly Readonly<{ id: number; name: string; count: number }>[]
}>

const shownBloods = 3

/**
 * Summarizes the final board.
 * @param ownName unique name of the user's team, or undefined if the user has none
 */
export function summarizeResults(board: Scoreboard, ownName: string | undefined): GameResults {
  const challenges = Object.values(board.challenges)
    .flat()
    .toSorted((one, other) => other.solved - one.solved || one.score - other.score || one.id - other.id)
  const counts = new Map<number, { id: number; name: string; count: number }>()
  for (const { bloods } of challenges) {
    const [first] = bloods
    if (!first) continue
    const { id, name } = first
    counts.set(id, { id, name, count: (counts.get(id)?.count ?? 0) + 1 })
  }
  return {
    podium: board.items.filter(({ rank, score }) => rank >= 1 && rank <= 3 && score > 0),
    own: ownName === undefined ? undefined : board.items.find(({ name }) => name === ownName),
    challenges,
    bloods: [...counts.values()].toSorted((one, other) => other.count - one.count || one.id - other.id).slice(0, shownBloods),
  }
}

/** Returns the points of a team during the game as a stepped path in a box of 100 by 100 units. */
export function createProgressPath({ solvedChallenges, foundFlags = [] }: ScoreboardTeam, start: string, end: string): string {
  const from = Date.parse(start)
  const length = Math.max(1, Date.parse(end) - from)
  const gains = [...solvedChallenges.map(({ time, score }) => ({ time: Date.parse(time), points: score })), ...foundFlags]
  const total = Math.max(
    1,
    gains.reduce((sum, { points }) => sum + points, 0),
  )
  let sum = 0
  const steps = gains
    .toSorted((one, other) => one.time - other.time)
    .map(({ time, points }) => {
      sum += points
      const x = Math.min(100, Math.max(0, ((time - from) / length) * 100))
      return `H${x.toFixed(1)}V${(100 - (sum / total) * 100).toFixed(1)}`
    })
  return `M0 100${steps.join('')}H100`
}
