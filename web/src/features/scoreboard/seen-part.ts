/** Cells in a line, all of one size. */
export interface Line {
  readonly count: number
  /** Of a cell, pixels. */
  readonly size: number
  /** What stays in front of them while they scroll, pixels. */
  readonly before: number
  /** What scrolls away before the first of them, pixels. */
  readonly offset: number
  /** Cells drawn on both sides of those in sight. */
  readonly around: number
  /** Drawn are whole blocks of so many. */
  readonly block: number
}

/** Indexes `from` to before `to`. */
export interface Part {
  readonly from: number
  readonly to: number
}

/** The part of a line that is drawn when it is scrolled so far through a window of that length, both in pixels. */
export function drawnPart(line: Line, scrolled: number, window: number): Part {
  const { count, size, before, offset, around, block } = line
  const room = Math.max(0, window - before)
  // Where a line has become shorter, the browser scrolls back a moment later.
  const start = Math.min(scrolled, Math.max(0, offset + count * size - room)) - offset
  const first = Math.max(0, Math.floor(start / size) - around)
  const last = Math.ceil((start + room) / size) + around
  return { from: Math.floor(first / block) * block, to: Math.max(0, Math.min(count, Math.ceil(last / block) * block)) }
}

/** How far to scroll so that a cell is in sight, as little as possible. */
export function scrollTo({ size, before, offset }: Line, index: number, scrolled: number, window: number): number {
  const start = offset + index * size
  const room = window - before
  if (start < scrolled) return start
  return start + size > scrolled + room ? start + size - room : scrolled
}
