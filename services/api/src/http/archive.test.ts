import { expect, test } from 'vitest'
import { safePathPart } from './archive.ts'

test.each([
  ['Finals 2030', 'Finals 2030'],
  ['../../etc', '.._.._etc'],
  ['C:\\x|y?', 'C__x_y_'],
  ['line\nbreak\u0000', 'line_break_'],
  ['..', '_'],
  ['  ', '_'],
  ['決勝', '決勝'],
])('%j becomes the path part %j', (name, part) => {
  expect(safePathPart(name)).toBe(part)
})
