import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { expect, test } from 'vitest'

function read(name: string) {
  return readFileSync(new URL(name, import.meta.url))
}

test('the built-in favicon is `mark.svg` at a width of 256 pixels', async () => {
  const stored = read('./mark.webp')
  expect(await sharp(stored).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256 })
  const drawn = await sharp(read('./mark.svg'), { density: 768 }).resize(256).raw().toBuffer()
  const shown = await sharp(stored).raw().toBuffer()
  expect(shown.length).toBe(drawn.length)
  const differences = drawn.filter((value, index) => index % 4 === 3 && Math.abs(value - shown[index]!) > 64)
  expect(differences).toHaveLength(0)
})
