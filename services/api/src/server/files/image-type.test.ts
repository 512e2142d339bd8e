import { expect, test } from 'vitest'
import { sniffImageType } from './image-type.ts'

test('detects image types by their first bytes', () => {
  expect(sniffImageType(Buffer.from('GIF89a......'))).toBe('image/gif')
  expect(sniffImageType(Buffer.from('RIFF....WEBPVP8 '))).toBe('image/webp')
  expect(sniffImageType(Buffer.from('<html><script>'))).toBeUndefined()
})
