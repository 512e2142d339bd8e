import { cloneElement, type ReactElement } from 'react'
import type { Side } from './tooltip-place.ts'

interface Told {
  readonly 'data-tooltip'?: string
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
