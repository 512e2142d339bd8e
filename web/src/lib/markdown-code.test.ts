import { afterEach, expect, it, vi } from 'vitest'
import { highlightCodeBlock } from './markdown-code.ts'

afterEach(() => vi.restoreAllMocks())

it('the highlighter colors every word even if the device is slow', async () => {
  const code = document.createElement('code')
  code.className = 'language-js'
  code.textContent = 'const anchor = 1'
  let now = 0
  // Simulates a slow device: 300 ms pass between two words.
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 300))
  await highlightCodeBlock(code, 'dark')
  expect([...code.children].map(({ textContent }) => textContent?.trim()).filter(Boolean)).toEqual(['const', 'anchor', '=', '1'])
})
