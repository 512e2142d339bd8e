/** Parses positions such as `0-4,7`. @param count number of items to choose from. Higher positions are ignored. */
export function parsePositions(choice: string, count: number): Set<number> {
  const chosen = new Set<number>()
  for (const range of choice.split(',')) {
    const [from = 0, to = from] = range.split('-').map(Number)
    for (let position = from; position <= Math.min(to, count - 1); position++) chosen.add(position)
  }
  return chosen
}
