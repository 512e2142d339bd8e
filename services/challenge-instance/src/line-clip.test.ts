import { expect, test } from 'vitest'
import { createLineClipper } from './line-clip.ts'

function text(bytes: Uint8Array) {
  return new TextDecoder().decode(bytes)
}
function bytes(content: string) {
  return new TextEncoder().encode(content)
}

test('a long line is cut at the maximum length, even if it arrives in several pieces', () => {
  const clip = createLineClipper(4)
  expect(['12', '3456', '78\nab', 'cdef\n', '\nz'].map((piece) => text(clip(bytes(piece))))).toEqual([
    '12',
    '34',
    '\nab',
    'cd\n',
    '\nz',
  ])
})
