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
export function getCellRangeToRender({ count, size, around, block }: Line, above: number, window: number): CellRange {
  // Limit the scroll position to the end of the list. If the list has become shorter, the position may be beyond the end.
  const start = Math.min(above, Math.max(0, count * size - window))
  const first = Math.max(0, Math.floor(start / size) - around)
  const last = Math.ceil((start + window) / size) + around
  return { from: Math.floor(first / block) * block, to: Math.max(0, Math.min(count, Math.ceil(last / block) * block)) }
}

/**
 * Moves the rendered range one step closer to the wanted range `goal`. Cells outside of `goal` are dropped, and up to `step` cells
 * are added. They are added at the end, until the end of `goal` is reached, and then at the beginning.
 */
export function growCellRange(part: CellRange, goal: CellRange, step: number): CellRange {
  const from = Math.max(part.from, goal.from)
  const to = Math.min(part.to, goal.to)
  if (from >= to) return { from: goal.from, to: Math.min(goal.to, goal.from + step) }
  return to < goal.to ? { from, to: Math.min(goal.to, to + step) } : { from: Math.max(goal.from, from - step), to }
}
