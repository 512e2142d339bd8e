import { cloneElement, type ReactElement } from 'react'
import { formatExact, type Instant } from '../../lib/format.ts'
import type { Side } from './tooltip-place.ts'

type TooltipAttributes = Readonly<{
  'data-tooltip'?: string
  'data-tooltip-time'?: string
  'data-tooltip-side'?: Side
}>

type TooltipProps = Readonly<{
  content: string
  side?: Side
  /** Focusable element. */
  children: ReactElement<TooltipAttributes>
}>

/** Adds details on hover and focus, but never the only place of a fact. `TooltipLayer` shows it. */
export function Tooltip({ content, side = 'top', children }: TooltipProps): ReactElement<TooltipAttributes> {
  return cloneElement(children, { 'data-tooltip': content, 'data-tooltip-side': side })
}

type ExactTimeProps = Readonly<{
  at: Instant
  /** Focusable element. */
  children: ReactElement<TooltipAttributes>
}>

/**
 * Tooltip of an instant with weekday, seconds and zone. It is formatted only when shown, because that would slow down the start
 * of a page.
 */
export function ExactTime({ at, children }: ExactTimeProps): ReactElement<TooltipAttributes> {
  return cloneElement(children, { 'data-tooltip-time': new Date(at).toISOString() })
}

/** Selector of elements with a tooltip. */
export const tooltipSelector = '[data-tooltip], [data-tooltip-time]'

/** Returns the tooltip text of an element. */
export function tooltipOf({ dataset }: HTMLElement): string | undefined {
  return dataset.tooltipTime === undefined ? dataset.tooltip : formatExact(dataset.tooltipTime)
}
