import { screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { LinkTabs } from './tabs.tsx'

let reportSizes: () => void = () => undefined
/** Fake ResizeObserver that reports sizes when the test calls `reportSizes`. */
class ManualObserver {
  constructor(report: () => void) {
    reportSizes = report
  }
  observe() {}
  disconnect() {
    reportSizes = () => undefined
  }
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** Shows a list of tabs that is 300 px wide. The current tab is 100 px wide and starts at `place`. */
async function showTabs(place: { px: number }) {
  vi.stubGlobal('ResizeObserver', ManualObserver)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(300)
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(100)
  vi.spyOn(HTMLElement.prototype, 'offsetLeft', 'get').mockImplementation(() => place.px)
  const tabs = ['/notices', '/tickets'].map((to) => ({ to, label: to }))
  await renderInApp(<LinkTabs label="Game" tabs={tabs} />, { at: '/tickets', pattern: '/tickets' })
  reportSizes()
  return screen.getByRole('navigation', { name: 'Game' })
}

it('the current tab is in the middle again after a badge makes an earlier tab wider', async () => {
  const place = { px: 400 }
  const list = await showTabs(place)
  expect(list.scrollLeft).toBe(300)
  place.px = 430
  reportSizes()
  expect(list.scrollLeft).toBe(330)
})

it('the tabs remain where the user has scrolled them if a tab becomes wider', async () => {
  const place = { px: 400 }
  const list = await showTabs(place)
  list.scrollLeft = 20
  place.px = 430
  reportSizes()
  expect(list.scrollLeft).toBe(20)
})
