import { fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { toChartLines } from './timeline.ts'
import { TimelineChart } from './timeline-chart.tsx'

const start = Date.parse('2026-05-01T10:00:00Z')
function hours(count: number) {
  return start + count * 3_600_000
}
const span = { start, end: hours(4) }
function at(count: number) {
  return new Date(hours(count)).toISOString()
}
const lines = toChartLines(
  [
    { id: 7, name: 'Anchors', items: [{ time: at(3), score: 400 }] },
    { id: 8, name: 'Winches', items: [{ time: at(1), score: 300 }] },
  ],
  span,
)

/** Fake ResizeObserver that reports the size of an element once after layout, as browsers do. */
class OneLayout {
  readonly #tell: () => void
  constructor(tell: () => void) {
    this.#tell = tell
  }
  observe() {
    queueMicrotask(this.#tell)
  }
  disconnect() {}
}

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', OneLayout)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(600)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(300)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

function chart() {
  return screen.getByRole('img')
}
async function showChart(onSelect = vi.fn()) {
  await renderInApp(<TimelineChart lines={lines} span={span} ownTeamId={undefined} onSelect={onSelect} />, {
    areas: ['scoreboard'],
  })
  return onSelect
}
function opacities() {
  return [...chart().querySelectorAll('path')].map((path) => path.getAttribute('stroke-opacity'))
}

describe('the scoreboard chart', () => {
  it('the chart has an accessible name, a line per team, and round scores beside it', async () => {
    await showChart()
    expect(chart().getAttribute('aria-label')).toBe('Points over time of the top 2 teams, led by Anchors 400, Winches 300')
    expect(chart().querySelectorAll('path')).toHaveLength(2)
    expect(within(chart()).getByText('400')).toBeTruthy()
  })

  it('the time axis names the day once if the game ended on an earlier day', async () => {
    await showChart()
    const texts = [...chart().querySelectorAll('text')].map((text) => text.textContent ?? '')
    expect(texts.filter((text) => text.includes('May 1'))).toHaveLength(1)
    expect(texts.filter((text) => /^\d\d:\d\d$/.test(text)).length).toBeGreaterThan(1)
  })

  it('the chart shows all scores at the time under the pointer, best first', async () => {
    await showChart()
    const place = chart().parentElement as HTMLElement
    fireEvent.pointerMove(place, { clientX: 310, clientY: 20 })
    const rows = within(place).getAllByRole('listitem')
    expect(rows.map(({ textContent }) => textContent)).toEqual(['Winches300', 'Anchors0'])
    fireEvent.pointerLeave(place)
    expect(within(place).queryAllByRole('listitem')).toEqual([])
  })

  it('the chart highlights the line of a focused label, and opens the team on Enter', async () => {
    const onSelect = await showChart()
    await userEvent.tab()
    expect(document.activeElement?.textContent).toContain('Anchors')
    // The focused line belongs to the first team. The chart draws this line above the others, so its opacity is the last value.
    expect(opacities()).toEqual(['0.16', '1'])
    await userEvent.keyboard('{Enter}')
    expect(onSelect).toHaveBeenCalledWith(7)
  })

  it('the chart highlights the line under the pointer', async () => {
    await showChart()
    const place = chart().parentElement as HTMLElement
    const [, line] = chart().querySelectorAll('path')
    const end = Number(line?.getAttribute('d')?.split('V').at(-1))
    fireEvent.pointerMove(place, { clientX: 580, clientY: end })
    expect(opacities()).toEqual(['0.16', '1'])
  })
})
