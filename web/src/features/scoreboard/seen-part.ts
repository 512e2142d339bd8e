export type Line = Readonly<{
  count: number
  size: number
  /** Number of cells to render before and after the visible ones. */
  around: number
  block: number
}>

/** Range of indexes, including `from` and excluding `to`. */
export type CellRange = Readonly<{
  from: number
  to: number
}>

/**
 * Returns the range of cells to render for a scroll offset and a window height, in pixels. A negative offset means that the list
 * begins below the top of the window.
 */
export function getRangeToRender({ count, size, around, block }: Line, above: number, window: number): CellRange {
  // If the list became shorter, the scroll position may still be beyond its end.
  const start = Math.min(above, Math.max(0, count * size - window))
  const first = Math.max(0, Math.floor(start / size) - around)
  const last = Math.ceil((start + window) / size) + around
  return { from: Math.floor(first / block) * block, to: Math.max(0, Math.min(count, Math.ceil(last / block) * block)) }
}

/**
 * Moves the rendered range one step closer to the wanted range `goal`. Drops cells outside of `goal` and adds up to `step` cells:
 * at the end, or at the beginning if the end is complete.
 */
export function growCellRange(part: CellRange, goal: CellRange, step: number): CellRange {
  const from = Math.max(part.from, goal.from)
  const to = Math.min(part.to, goal.to)
  if (from >= to) return { from: goal.from, to: Math.min(goal.to, goal.from + step) }
  return to < goal.to ? { from, to: Math.min(goal.to, to + step) } : { from: Math.max(goal.from, from - step), to }
}
