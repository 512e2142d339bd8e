import { afterEach, expect, it, vi } from 'vitest'
import { color } from './markdown-code.ts'

afterEach(() => vi.restoreAllMocks())

it('colors each word where the device is slow', async () => {
  const code = document.createElement('code')
  code.className = 'language-js'
  code.textContent = 'const anchor = 1'
  let now = 0
  // Between two words pass 300 ms.
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 300))
  await color(code, 'dark')
  expect([...code.children].map(({ textContent }) => textContent?.trim()).filter(Boolean)).toEqual(['const', 'anchor', '=', '1'])
})
