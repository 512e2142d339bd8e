/**
 * Curves that determine the value of a challenge. Except on `static`, the value falls when more teams solve the challenge. See
 * docs/contract/flags-and-scoring.md#values.
 */
export const curveNames = ['exponential', 'static', 'linear', 'parabola', 'rctf'] as const
export type CurveName = (typeof curveNames)[number]

export type ScoreCurve = Readonly<{
  curve: CurveName
  points: number
  minimumShare: number
  /**
   * Parameter of the curve, above 0. Exponential: larger numbers make the value fall more slowly. Linear: each solver after the
   * first reduces the value by this number of points. Parabola: the value reaches its minimum with this number of solvers after the
   * first.
   */
  decay: number
}>

type Solves = Readonly<{
  /** Number of teams whose solve counts. */
  solvers: number
  /** Number of solvers of the most-solved challenge of the game. */
  maxSolvers: number
}>

export function minimumValue({ points, minimumShare }: Pick<ScoreCurve, 'points' | 'minimumShare'>): number {
  return Math.floor(minimumShare * points)
}

function exponentialValue({ points, minimumShare, decay }: ScoreCurve, { solvers }: Solves): number {
  return Math.floor(points * (minimumShare + (1 - minimumShare) * Math.exp((1 - solvers) / decay)))
}

/** Returns the value on the linear curve of CTFd, which rounds up. The first solver does not reduce the value. */
function linearValue(curve: ScoreCurve, { solvers }: Solves): number {
  return Math.max(minimumValue(curve), Math.ceil(curve.points - curve.decay * (solvers - 1)))
}

/**
 * Returns the value on the curve that CTFd calls logarithmic. The calculation has the same order of steps as CTFd's documentation,
 * because another order could round differently.
 */
function parabolaValue(curve: ScoreCurve, { solvers }: Solves): number {
  const { points, decay } = curve
  const minimum = minimumValue(curve)
  return Math.max(minimum, Math.ceil(((minimum - points) / decay ** 2) * (solvers - 1) ** 2 + points))
}

function half(x: number): number {
  return (1 - Math.tanh(x)) / 2
}
const [rctfFrom, rctfTo] = [-Math.atanh(0.7), Math.atanh(0.96)]

/**
 * Returns the value on the curve of rCTF. The value depends on how many teams solved the challenge, compared with the most-solved
 * challenge.
 */
function rctfValue(curve: ScoreCurve, { solvers, maxSolvers }: Solves): number {
  const scale = Math.max(1, maxSolvers)
  const minimum = minimumValue(curve)
  const value = (count: number): number => {
    const share = (half((rctfTo - rctfFrom) * (count / scale) + rctfFrom) - half(rctfTo)) / (half(rctfFrom) - half(rctfTo))
    return minimum + (curve.points - minimum) * share
  }
  return Math.round(Math.max(value(solvers), value(scale)))
}

const values: Readonly<Record<CurveName, (curve: ScoreCurve, solves: Solves) => number>> = {
  exponential: exponentialValue,
  static: ({ points }) => points,
  linear: linearValue,
  parabola: parabolaValue,
  rctf: rctfValue,
}

/**
 * Returns the value of a challenge for a given number of solvers.
 * @param solvers number of teams whose solve counts
 * @param maxSolvers the number of solvers of the most-solved challenge of the game
 */
export function challengeValue(curve: ScoreCurve, solvers: number, maxSolvers = solvers): number {
  if (curve.curve !== 'rctf' && solvers <= 1) return curve.points
  return values[curve.curve](curve, { solvers, maxSolvers: Math.max(maxSolvers, solvers) })
}

/**
 * Returns the points of a solve: `value * (1000 + bonus) / 1000`, rounded to the nearest integer. Halves are rounded to the even
 * integer. The calculation uses only integers, so that it recognizes halves exactly.
 * @param bonusPerMille 0 to 1000
 */
export function solvePoints(value: number, bonusPerMille: number): number {
  const thousandths = value * (1000 + bonusPerMille)
  const points = Math.floor(thousandths / 1000)
  const rest = thousandths - points * 1000
  if (rest === 500) return points % 2 === 0 ? points : points + 1
  return rest > 500 ? points + 1 : points
}

/** Returns the points that a team can get from a challenge of a board: its value and the points of its flags. */
export function availablePoints({ score, flagPoints = 0 }: Readonly<{ score: number; flagPoints?: number }>): number {
  return score + flagPoints
}
