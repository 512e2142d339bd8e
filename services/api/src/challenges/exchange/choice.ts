/**
 * Positions as `0-4,7` in order.
 *
 * @param count of what there is to choose from; positions from there on name nothing
 */
export function positionsOf(choice: string, count: number): Set<number> {
  const chosen = new Set<number>()
  for (const range of choice.split(',')) {
    const [from = 0, to = from] = range.split('-').map(Number)
    for (let position = from; position <= Math.min(to, count - 1); position++) chosen.add(position)
  }
  return chosen
}
