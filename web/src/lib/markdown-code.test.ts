import { afterEach, expect, it, vi } from 'vitest'
import { color } from './markdown-code.ts'

afterEach(() => vi.restoreAllMocks())

it('colors each word on a slow device', async () => {
  const code = document.createElement('code')
  code.className = 'language-js'
  code.textContent = 'const anchor = 1'
  let now = 0
  // 300 ms pass between two words.
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 300))
  await color(code, 'dark')
  expect([...code.children].map(({ textContent }) => textContent?.trim()).filter(Boolean)).toEqual(['const', 'anchor', '=', '1'])
})
