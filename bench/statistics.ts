/** Returns the quantile of the values at `share` (0 to 1), by the nearest rank. @returns NaN for an empty list */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantileOf(values, 0.5)
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

type Comparison<Measure> = Readonly<{
  ours: readonly Measure[]
  limit: readonly Measure[]
}>

/** Alternates between two measurements. Discards the first round, which is a warm-up. */
export async function measureAlternately<Measure>(
  rounds: number,
  ours: () => Promise<Measure>,
  limit: () => Promise<Measure>,
): Promise<Comparison<Measure>> {
  const measured: { ours: Measure[]; limit: Measure[] } = { ours: [], limit: [] }
  for (let round = 0; round <= rounds; round += 1) {
    measured.ours.push(await ours())
    measured.limit.push(await limit())
  }
  return { ours: measured.ours.slice(1), limit: measured.limit.slice(1) }
}

/** Measured value of the product (`ours`), and the best value that this machine allows (`limit`). */
export type Summary = Readonly<{
  ours: number
  limit: number
  ratio: number
  added: number
}>

export function compareFigures(ours: number, limit: number): Summary {
  return { ours, limit, ratio: ours / limit, added: ours - limit }
}

/** Returns the medians of a value over all rounds. The ratio and the difference are computed within each round. */
export function summarizeByMedian<Measure = number>(
  { ours, limit }: Comparison<Measure>,
  figure: (measure: Measure) => number = Number,
): Summary {
  const rounds = ours.map((measure, round) => compareFigures(figure(measure), figure(limit[round] ?? measure)))
  const medianOf = (name: keyof Summary) => median(rounds.map((round) => round[name]))
  return { ours: medianOf('ours'), limit: medianOf('limit'), ratio: medianOf('ratio'), added: medianOf('added') }
}
