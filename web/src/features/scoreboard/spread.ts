/**
 * Moves overlapping labels apart without changing their order. Each label stays as close to its position as the gap and the
 * bounds allow. `wanted` contains ascending centers. If there is too little room, the labels are spread evenly.
 */
export function moveLabelsApart(wanted: readonly number[], gap: number, from: number, to: number): readonly number[] {
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
