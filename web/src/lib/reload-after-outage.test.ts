import { expect, it } from 'vitest'
import { createOutageReload } from './reload-after-outage.ts'

/** Returns a reload function with a stopped clock, and a record of the reloads. `visit` simulates the page after a reload. */
function outage(readPage: () => Promise<string>) {
  const stored = new Map<string, string>()
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  }
  const state = { now: 1_000_000, reloads: 0 }
  const reload = () => {
    state.reloads += 1
  }
  const visit = () => createOutageReload({ readPage, storage, reload, now: () => state.now })
  return { state, visit }
}

it('the page reloads when the server returns the index page', async () => {
  const { state, visit } = outage(async () => '<html>')
  await visit()()
  expect(state.reloads).toBe(1)
})

it.each([
  ['there is no connection', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the server is unavailable', async () => ''],
])('the page does not reload if %s', async (_, readPage) => {
  const { state, visit } = outage(readPage)
  await visit()()
  expect(state.reloads).toBe(0)
})

it('the pause before the next reload doubles while the file is still missing', async () => {
  const { state, visit } = outage(async () => '<html>')
  await visit()()
  for (const pauseMs of [10_000, 20_000, 40_000]) {
    const before = state.reloads
    const tryReload = visit()
    state.now += pauseMs - 1
    await tryReload()
    expect(state.reloads).toBe(before)
    state.now += 1
    await tryReload()
    expect(state.reloads).toBe(before + 1)
  }
})

it('reloads of an earlier outage do not delay the next reload', async () => {
  const { state, visit } = outage(async () => '<html>')
  await visit()()
  state.now += 600_000
  await visit()()
  expect(state.reloads).toBe(2)
})

it('the page does not reload while it contains text that the user has not saved', async () => {
  const { state, visit } = outage(async () => '<html>')
  const field = document.body.appendChild(document.createElement('textarea'))
  field.value = 'half a sentence'
  field.dispatchEvent(new Event('input', { bubbles: true }))
  await visit()()
  expect(state.reloads).toBe(0)
  field.remove()
  await visit()()
  expect(state.reloads).toBe(1)
})
