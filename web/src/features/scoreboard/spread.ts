/**
 * Moves labels apart: each stays as near to where it belongs as a distance of `gap` and the bounds allow, order kept.
 * `wanted` ascending. Positions are centers; where there is no room for all, they are spread evenly.
 */
export function spread(wanted: readonly number[], gap: number, from: number, to: number): readonly number[] {
  const count = wanted.length
  if (count === 0) return []
  const step = Math.min(gap, count > 1 ? (to - from) / (count - 1) : gap)
  const placed: number[] = []
  for (const each of wanted) placed.push(Math.max(each, from, (placed.at(-1) ?? Number.NEGATIVE_INFINITY) + step))
  let limit = to
  for (let index = count - 1; index >= 0; index -= 1) {
    placed[index] = Math.min(placed[index] ?? limit, limit)
    limit = (placed[index] ?? limit) - step
  }
  return placed
}
