import { expect, test } from 'vitest'
import { parsePositions } from './parse-positions.ts'

test.each([
  ['0', [0]],
  ['0-2,4', [0, 1, 2, 4]],
  ['2,1,1-2', [1, 2]],
  ['3-1', []],
  ['7', []],
  ['4-99999', [4]],
])('the choice "%s" selects the positions %j of five items', (choice, positions) => {
  expect([...parsePositions(choice, 5)].sort()).toEqual(positions)
})
