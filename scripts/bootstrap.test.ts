import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { runStep } from './bootstrap.mjs'

function createOutput(isTTY: boolean) {
  const to = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
  return { to, text: () => String(to.read() ?? '') }
}

it('a long step is announced with its reason before it ends, even if the output is not a terminal', async () => {
  const { to, text } = createOutput(false)
  const during = await runStep('Installing', () => text(), { to, why: 'once' })
  expect(during).toBe('  ○ Installing (once) …\n')
  expect(text()).toMatch(/^ {2}● Installing +\d+\.\d s\n$/)
})

it('a short step prints one line', async () => {
  const { to, text } = createOutput(false)
  expect(await runStep('Building', () => text(), { to })).toBe('')
  expect(text()).toMatch(/^ {2}● Building +\d+\.\d s\n$/)
})

it('a terminal shows a step while it runs, and then replaces the line', async () => {
  const { to, text } = createOutput(true)
  expect(await runStep('Building', () => text(), { to })).toBe('  ○ Building …')
  const last = text()
  expect(last.startsWith('\r\u001b[K')).toBe(true)
  expect(last).toMatch(/ {2}● Building +\d+\.\d s\n$/)
})
