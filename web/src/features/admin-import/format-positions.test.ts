import { expect, test } from 'vitest'
import { formatPositions } from './format-positions.ts'

test.each([
  [[0], '0'],
  [[3, 1, 2], '1-3'],
  [[0, 2, 3, 9], '0,2-3,9'],
  [[], ''],
])('the positions %j are formatted as %s', (positions, text) => {
  expect(formatPositions(new Set(positions))).toBe(text)
})
