/** Returns the value below which `share` (0 to 1) of the values are, by the nearest rank. @returns NaN for an empty list */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Measurements of ours and of its limit, in rounds. */
export interface Comparison<Measure> {
  readonly ours: readonly Measure[]
  readonly limit: readonly Measure[]
}

/** Measures ours and the limit in turn, so that other load affects both. The first round warms both up and does not count. */
export const alternate = async <Measure>(
  rounds: number,
  ours: () => Promise<Measure>,
  limit: () => Promise<Measure>,
): Promise<Comparison<Measure>> => {
  const measured: { ours: Measure[]; limit: Measure[] } = { ours: [], limit: [] }
  for (let round = 0; round <= rounds; round += 1) {
    const [mine, best] = [await ours(), await limit()]
    if (round === 0) continue
    measured.ours.push(mine)
    measured.limit.push(best)
  }
  return measured
}

/** Medians of a figure over all rounds. */
export interface Summary {
  readonly ours: number
  readonly limit: number
  /** Median of ours divided by the limit of the same round. */
  readonly ratio: number
  /** Median of ours minus the limit of the same round. */
  readonly added: number
}

export const summarize = <Measure>({ ours, limit }: Comparison<Measure>, figure: (measure: Measure) => number): Summary => {
  const pairs = ours.map((measure, round) => [figure(measure), figure(limit[round] ?? measure)] as const)
  return {
    ours: median(pairs.map(([value]) => value)),
    limit: median(pairs.map(([, value]) => value)),
    ratio: median(pairs.map(([value, best]) => value / best)),
    added: median(pairs.map(([value, best]) => value - best)),
  }
}
