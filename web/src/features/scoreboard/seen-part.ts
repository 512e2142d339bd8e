/** Cells in a line, all of one size. */
export type Line = Readonly<{
  count: number
  /** Of a cell, pixels. */
  size: number
  /** Cells drawn on both sides of those in sight. */
  around: number
  /** Drawn are whole blocks of so many. */
  block: number
}>

/** Indexes `from` to before `to`. */
export type Part = Readonly<{
  from: number
  to: number
}>

/** The part of a line that is drawn when so much of it is above a window of that height; all in pixels, less than 0: it begins below. */
export function drawnPart({ count, size, around, block }: Line, above: number, window: number): Part {
  // Where a line has become shorter, the browser scrolls back a moment later.
  const start = Math.min(above, Math.max(0, count * size - window))
  const first = Math.max(0, Math.floor(start / size) - around)
  const last = Math.ceil((start + window) / size) + around
  return { from: Math.floor(first / block) * block, to: Math.max(0, Math.min(count, Math.ceil(last / block) * block)) }
}

/** The part a step nearer to a goal: what both share, with so many more cells after it, then before it. */
export function grownPart(part: Part, goal: Part, step: number): Part {
  const from = Math.max(part.from, goal.from)
  const to = Math.min(part.to, goal.to)
  if (from >= to) return { from: goal.from, to: Math.min(goal.to, goal.from + step) }
  return to < goal.to ? { from, to: Math.min(goal.to, to + step) } : { from: Math.max(goal.from, from - step), to }
}
