import { median } from './statistics.ts'

/** Medians over all rounds of what was measured by turns. */
export type Comparison<Measure> = Readonly<{
  ours: readonly Measure[]
  limit: readonly Measure[]
}>

/**
 * Measures by turns, ours and the limit in each round, so that whatever else the machine does meets both. The first round warms
 * both up and is not counted.
 */
export async function alternate<Measure>(
  rounds: number,
  ours: () => Promise<Measure>,
  limit: () => Promise<Measure>,
): Promise<Comparison<Measure>> {
  const measured: { ours: Measure[]; limit: Measure[] } = { ours: [], limit: [] }
  for (let round = 0; round <= rounds; round += 1) {
    const mine = await ours()
    const best = await limit()
    if (round === 0) continue
    measured.ours.push(mine)
    measured.limit.push(best)
  }
  return measured
}

/** Medians of one figure, and of the rounds' ratios and differences: a busy second then spoils its own round only. */
export function summarise<Measure>({ ours, limit }: Comparison<Measure>, figure: (measure: Measure) => number) {
  return {
    ours: median(ours.map(figure)),
    limit: median(limit.map(figure)),
    ratio: median(ours.map((measure, round) => figure(measure) / figure(limit[round] ?? measure))),
    added: median(ours.map((measure, round) => figure(measure) - figure(limit[round] ?? measure))),
  }
}
