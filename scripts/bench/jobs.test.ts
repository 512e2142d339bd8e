import { expect, test } from 'vitest'
import { loadJobs, usualShareSeconds } from './jobs.ts'

const jobs = await loadJobs()

test('all jobs together take less than fifteen minutes by what each may take', () => {
  expect(jobs.length).toBeGreaterThan(5)
  const seconds = jobs.reduce((sum, { shareSeconds = usualShareSeconds }) => sum + shareSeconds, 0)
  expect(seconds).toBeLessThanOrEqual(15 * 60)
})

test('no two jobs have one name, and no two bars', () => {
  const names = jobs.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const bars = jobs.flatMap((job) => Object.keys(job.bars ?? {}))
  expect(new Set(bars).size).toBe(bars.length)
})

test('what changes the game comes after what reads it, and memory after what needs it', () => {
  const names = jobs.map(({ name }) => name)
  expect(names.indexOf('scoreboard')).toBeLessThan(names.indexOf('submit'))
  for (const played of ['scoreboard', 'details', 'login', 'submit', 'views'])
    expect(names.indexOf(played)).toBeLessThan(names.indexOf('memory'))
  // Two further games.
  expect(names.indexOf('memory')).toBeLessThan(names.indexOf('judging'))
  expect(names.indexOf('judging')).toBeLessThan(names.indexOf('memory-whole'))
  expect(names.indexOf('login-storm')).toBeLessThan(names.indexOf('memory-whole'))
})
