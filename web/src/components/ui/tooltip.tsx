import { cloneElement, type ReactElement } from 'react'
import { formatExact, type Instant } from '../../lib/format.ts'
import type { Side } from './tooltip-place.ts'

interface Told {
  readonly 'data-tooltip'?: string
  readonly 'data-tooltip-time'?: string
  readonly 'data-tooltip-side'?: Side
}

interface TooltipProps {
  readonly content: string
  readonly side?: Side
  /** One focusable element. */
  readonly children: ReactElement<Told>
}

/** Says more on hover and focus; never the only place of a fact. `TooltipLayer` shows it. */
export const Tooltip = ({ content, side = 'top', children }: TooltipProps): ReactElement<Told> =>
  cloneElement(children, { 'data-tooltip': content, 'data-tooltip-side': side })

interface ExactTimeProps {
  readonly at: Instant
  /** One focusable element. */
  readonly children: ReactElement<Told>
}

/** The same for an instant, with weekday, seconds and zone. Put into words when it is shown: that would take a good part of a page's start. */
export const ExactTime = ({ at, children }: ExactTimeProps): ReactElement<Told> =>
  cloneElement(children, { 'data-tooltip-time': new Date(at).toISOString() })

/** Where the layer finds what to show. */
export const tellers = '[data-tooltip], [data-tooltip-time]'

/** What an element tells. */
export const toldBy = ({ dataset }: HTMLElement): string | undefined =>
  dataset.tooltipTime === undefined ? dataset.tooltip : formatExact(dataset.tooltipTime)
