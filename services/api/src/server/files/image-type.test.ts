import { expect, test } from 'vitest'
import { detectImageType } from './image-type.ts'

test('detects image types by their first bytes', () => {
  expect(detectImageType(Buffer.from('GIF89a......'))).toBe('image/gif')
  expect(detectImageType(Buffer.from('RIFF....WEBPVP8 '))).toBe('image/webp')
  expect(detectImageType(Buffer.from('<html><script>'))).toBeUndefined()
})
