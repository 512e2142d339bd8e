import { render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { AnimatedNumber } from './animated-number.tsx'

function setMotion(isReduced: boolean) {
  return vi.stubGlobal('matchMedia', () => ({ matches: isReduced, addEventListener: vi.fn(), removeEventListener: vi.fn() }))
}
afterEach(() => vi.unstubAllGlobals())

it('the number shows all values between the old and the new one, but announces only the new one', async () => {
  setMotion(false)
  const { container, rerender } = render(<AnimatedNumber way="count" value={100} />)
  rerender(<AnimatedNumber way="count" value={1200} />)
  const seen = new Set<string>()
  await vi.waitFor(() => {
    const shown = container.querySelector('[aria-hidden]')?.textContent ?? ''
    seen.add(shown)
    expect(shown).toBe('1,200')
  }, 10_000)
  expect(container.querySelector('.visually-hidden')?.textContent).toBe('1,200')
  expect(seen.has('100')).toBe(true)
})

it('the number shows the new value immediately if the visitor prefers no motion', () => {
  setMotion(true)
  const { container, rerender } = render(<AnimatedNumber way="count" value={7} from={0} />)
  expect(container.querySelector('[aria-hidden]')?.textContent).toBe('7')
  rerender(<AnimatedNumber way="count" value={19} />)
  expect(container.querySelector('[aria-hidden]')?.textContent).toBe('19')
})

it('a better rank rolls upwards, and the old rank is hidden from screen readers', () => {
  setMotion(false)
  const { container, rerender } = render(<AnimatedNumber way="roll" value={130} from={141} />)
  const rolling = () => container.querySelector<HTMLElement>('[data-direction]')
  expect(rolling()?.dataset.direction).toBe('up')
  expect(screen.getByText('141').getAttribute('aria-hidden')).toBe('true')
  rerender(<AnimatedNumber way="roll" value={135} />)
  expect(rolling()?.dataset.direction).toBe('down')
  expect(screen.getByText('130').getAttribute('aria-hidden')).toBe('true')
})
