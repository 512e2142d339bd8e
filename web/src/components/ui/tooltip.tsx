import { cloneElement, type ReactElement } from 'react'
import { formatExact, type Instant } from '../../lib/format.ts'
import type { Side } from './tooltip-place.ts'

type Told = Readonly<{
  'data-tooltip'?: string
  'data-tooltip-time'?: string
  'data-tooltip-side'?: Side
}>

type TooltipProps = Readonly<{
  content: string
  side?: Side
  /** One focusable element. */
  children: ReactElement<Told>
}>

/** Says more on hover and focus; never the only place of a fact. `TooltipLayer` shows it. */
export function Tooltip({ content, side = 'top', children }: TooltipProps): ReactElement<Told> {
  return cloneElement(children, { 'data-tooltip': content, 'data-tooltip-side': side })
}

type ExactTimeProps = Readonly<{
  at: Instant
  /** One focusable element. */
  children: ReactElement<Told>
}>

/** The same for an instant, with weekday, seconds and zone. Put into words when it is shown: that would take a good part of a page's start. */
export function ExactTime({ at, children }: ExactTimeProps): ReactElement<Told> {
  return cloneElement(children, { 'data-tooltip-time': new Date(at).toISOString() })
}

/** Where the layer finds what to show. */
export const tellers = '[data-tooltip], [data-tooltip-time]'

/** What an element tells. */
export function toldBy({ dataset }: HTMLElement): string | undefined {
  return dataset.tooltipTime === undefined ? dataset.tooltip : formatExact(dataset.tooltipTime)
}
