export type Side = 'top' | 'right' | 'bottom' | 'left'

type Size = Readonly<{
  width: number
  height: number
}>

type Box = Size &
  Readonly<{
    left: number
    top: number
  }>

const gap = 6
/** Minimum distance from the edges of the window, in pixels. */
const margin = 8
const opposite: Readonly<Record<Side, Side>> = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' }

function cornerOf(side: Side, around: Box, size: Size) {
  const middle = around.left + (around.width - size.width) / 2
  const center = around.top + (around.height - size.height) / 2
  if (side === 'top') return { left: middle, top: around.top - gap - size.height }
  if (side === 'bottom') return { left: middle, top: around.top + around.height + gap }
  if (side === 'left') return { left: around.left - gap - size.width, top: center }
  return { left: around.left + around.width + gap, top: center }
}

/**
 * Returns the upper left corner of a tooltip, in window pixels. The tooltip is on the given side of the element, or on the opposite
 * side if the given side has too little room.
 */
export function tooltipPosition(side: Side, around: Box, size: Size, window: Size): Readonly<{ left: number; top: number }> {
  const fits = ({ left, top }: { left: number; top: number }) =>
    side === 'top' || side === 'bottom'
      ? top >= margin && top + size.height <= window.height - margin
      : left >= margin && left + size.width <= window.width - margin
  const wanted = cornerOf(side, around, size)
  const other = cornerOf(opposite[side], around, size)
  const { left, top } = !fits(wanted) && fits(other) ? other : wanted
  return {
    left: Math.max(margin, Math.min(left, window.width - margin - size.width)),
    top: Math.max(margin, Math.min(top, window.height - margin - size.height)),
  }
}
