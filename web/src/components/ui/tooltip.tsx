import { cloneElement, type ReactElement } from 'react'
import { formatExactTime, type Instant } from '../../lib/format.ts'
import type { Side } from './tooltip-place.ts'

type TooltipAttributes = Readonly<{
  'data-tooltip'?: string
  'data-tooltip-time'?: string
  'data-tooltip-side'?: Side
}>

type TooltipProps = Readonly<{
  content: string
  side?: Side
  children: ReactElement<TooltipAttributes>
}>

/**
 * Adds details that appear on hover and focus. Never put necessary information only into a tooltip. `TooltipLayer` shows the
 * tooltips of all elements.
 */
export function Tooltip({ content, side = 'top', children }: TooltipProps): ReactElement<TooltipAttributes> {
  return cloneElement(children, { 'data-tooltip': content, 'data-tooltip-side': side })
}

type ExactTimeProps = Readonly<{
  at: Instant
  children: ReactElement<TooltipAttributes>
}>

/**
 * Tooltip with the exact date and time, including weekday, seconds and zone. The text is formatted only when the tooltip opens,
 * so that pages start fast.
 */
export function ExactTimeTooltip({ at, children }: ExactTimeProps): ReactElement<TooltipAttributes> {
  return cloneElement(children, { 'data-tooltip-time': new Date(at).toISOString() })
}

export const tooltipSelector = '[data-tooltip], [data-tooltip-time]'

export function findTooltipOfElement({ dataset }: HTMLElement): string | undefined {
  return dataset.tooltipTime === undefined ? dataset.tooltip : formatExactTime(dataset.tooltipTime)
}
