import { act, fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { IconButton } from './button.tsx'
import { ExactTimeTooltip, Tooltip } from './tooltip.tsx'
import { tooltipPosition } from './tooltip-place.ts'

const user = userEvent.setup()
afterEach(() => void vi.useRealTimers())
const linkWithTooltip = (
  <Tooltip content="Of the whole game">
    <a href="#all">All</a>
  </Tooltip>
)

describe('a tooltip', () => {
  it('a tooltip opens under the pointer and closes when the pointer leaves', async () => {
    await renderInApp(linkWithTooltip)
    await user.hover(screen.getByRole('link'))
    expect((await screen.findByRole('tooltip')).textContent).toBe('Of the whole game')
    expect(await screen.findByRole('link', { description: 'Of the whole game' })).toBeTruthy()
    await user.unhover(screen.getByRole('link'))
    await expect.poll(() => screen.queryByRole('tooltip')).toBeNull()
  })

  it('a tooltip formats a time only when it opens', async () => {
    const format = vi.spyOn(Intl, 'DateTimeFormat')
    await renderInApp(
      <ExactTimeTooltip at="2026-11-21T12:07:31Z">
        <a href="#start">Saturday</a>
      </ExactTimeTooltip>,
    )
    expect(format).not.toHaveBeenCalled()
    await user.hover(screen.getByRole('link'))
    expect((await screen.findByRole('tooltip')).textContent).toMatch(/^Saturday, November 21, 2026 at \d+:07:31/)
    format.mockRestore()
  })

  it('a tooltip stays open while the pointer is on it', async () => {
    await renderInApp(linkWithTooltip)
    await user.hover(screen.getByRole('link'))
    const tooltip = await screen.findByRole('tooltip')
    vi.useFakeTimers()
    fireEvent.pointerOver(document.body)
    fireEvent.pointerOver(tooltip)
    act(() => void vi.advanceTimersByTime(1000))
    expect(screen.getByRole('tooltip')).toBeTruthy()
  })

  it('a tooltip opens immediately on keyboard focus, and Escape closes only the tooltip', async () => {
    const escaped: string[] = []
    addEventListener('keydown', ({ key }) => escaped.push(key), { once: true })
    await renderInApp(linkWithTooltip)
    await user.tab()
    await screen.findByRole('tooltip')
    await user.keyboard('{Escape}')
    await expect.poll(() => screen.queryByRole('tooltip')).toBeNull()
    expect(escaped).not.toContain('Escape')
  })

  it('screen readers do not announce a tooltip that equals the name of the button', async () => {
    await renderInApp(<IconButton label="Copy">+</IconButton>)
    await user.tab()
    await screen.findByRole('tooltip')
    expect(screen.getByRole('button', { name: 'Copy' }).hasAttribute('aria-describedby')).toBe(false)
  })
})

describe('the position of a tooltip', () => {
  const size = { width: 100, height: 20 }
  const window = { width: 800, height: 600 }
  const at = (left: number, top: number) => ({ left, top, width: 40, height: 40 })

  it('a tooltip is centered beside its element, at a distance of 6 pixels', () => {
    expect(tooltipPosition('top', at(300, 300), size, window)).toEqual({ left: 270, top: 274 })
    expect(tooltipPosition('right', at(300, 300), size, window)).toEqual({ left: 346, top: 310 })
  })

  it('a tooltip is on the opposite side if the wanted side has too little room', () => {
    expect(tooltipPosition('top', at(300, 10), size, window)).toEqual({ left: 270, top: 56 })
    expect(tooltipPosition('right', at(720, 300), size, window)).toEqual({ left: 614, top: 310 })
  })

  it('a tooltip is at least 8 pixels away from the edges of the window', () => {
    expect(tooltipPosition('top', at(0, 300), size, window)).toEqual({ left: 8, top: 274 })
    expect(tooltipPosition('bottom', at(790, 300), size, window)).toEqual({ left: 692, top: 346 })
  })
})
