/** Formats the positions of the selected challenges as the import call expects them, such as `0-4,7`. */
export function formatPositions(positions: ReadonlySet<number>): string {
  const ranges: [number, number][] = []
  for (const position of [...positions].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && last[1] === position - 1) last[1] = position
    else ranges.push([position, position])
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',')
}
