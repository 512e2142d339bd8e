import { expect, test } from 'vitest'
import { parseStatsLine } from './stats.ts'

test.each([
  ['ci-1 0.07% 796KiB / 64MiB', 1, 815_104],
  ['ci-1 150.25% 1.5GiB / 2GiB', 1503, 1_610_612_736],
  ['ci-1 2.50% 1.2MB / 64MB', 25, 1_200_000],
  ['ci-1 0.00% 912B / 64MiB', 0, 912],
  ['ci-1 0.00% 512kB / 64.0MB', 0, 512_000],
])('parses %s', (line, cpuMillicores, memoryBytes) => {
  expect(parseStatsLine(line)).toEqual({ name: 'ci-1', cpuMillicores, memoryBytes })
})

test.each(['ci-1 -- -- / --', 'ci-1 0.00% 1ZB / 2ZB', '', 'WARNING: no cgroups'])('returns undefined for “%s”', (line) => {
  expect(parseStatsLine(line)).toBeUndefined()
})
