import { Limits } from '@capstan/contract/limits'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { platformCaller } from '../fair-queue.ts'
import { createImageConverter, type ImageKind } from './images.ts'
import { createHostilePictures, createPng } from './testing/hostile-pictures.ts'

const images = createImageConverter({ log: { warn: () => {} } })
afterAll(() => images.close())
function convertImage(kind: ImageKind, bytes: Buffer) {
  return images.convert(kind, bytes, platformCaller)
}

function picture(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } })
}

describe('conversion of uploaded pictures', () => {
  test.each(['png', 'jpeg', 'webp', 'avif'] as const)(
    'converts a picture in the format %s to a WebP avatar with a width of 300',
    async (format) => {
      const image = await convertImage('avatar', await picture(640, 320).toFormat(format).toBuffer())
      const { format: stored, width, height } = await sharp(image.bytes).metadata()
      expect([image.name, stored, width, height]).toEqual(['avatar.webp', 'webp', 300, 150])
    },
  )

  test.each([
    ['logo', 640],
    ['favicon', 256],
  ] as const)('converts a picture to a %s with a width of %i', async (kind, width) => {
    const image = await convertImage(kind, await picture(800, 800).png().toBuffer())
    expect([image.name, (await sharp(image.bytes).metadata()).width]).toEqual([`${kind}.webp`, width])
  })

  test('retains the size of a poster', async () => {
    const image = await convertImage('poster', await picture(731, 411).jpeg().toBuffer())
    const { format, width, height } = await sharp(image.bytes).metadata()
    expect([image.name, format, width, height]).toEqual(['poster.webp', 'webp', 731, 411])
  })

  test.each([
    ['a photograph of 12 megapixels', () => picture(4000, 3000).jpeg().toBuffer()],
    ['a PNG of 12 megapixels', () => picture(4000, 3000).png({ compressionLevel: 1 }).toBuffer()],
  ] as const)('accepts %s', async (_what, make) => {
    const bytes = await make()
    expect((await sharp((await convertImage('avatar', bytes)).bytes).metadata()).width).toBe(300)
    expect((await sharp((await convertImage('poster', bytes)).bytes).metadata()).width).toBe(4000)
  })

  test('stores a GIF avatar unchanged', async () => {
    const gif = await picture(500, 20).gif().toBuffer()
    expect(await convertImage('avatar', gif)).toEqual({ bytes: gif, name: 'avatar.gif' })
  })

  test('converts a GIF to a WebP favicon', async () => {
    const image = await convertImage('favicon', await picture(500, 500).gif().toBuffer())
    const { format, width } = await sharp(image.bytes).metadata()
    expect([image.name, format, width]).toEqual(['favicon.webp', 'webp', 256])
  })

  test('rotates a picture according to the orientation that the camera recorded', async () => {
    const image = await convertImage('poster', await picture(200, 100).withMetadata({ orientation: 6 }).jpeg().toBuffer())
    const { width, height } = await sharp(image.bytes).metadata()
    expect([width, height]).toEqual([100, 200])
  })

  test('removes the location and owner that the camera recorded', async () => {
    const withNotes = await picture(50, 50)
      .withExif({ IFD0: { Copyright: 'Somebody' } })
      .jpeg()
      .toBuffer()
    expect((await sharp((await convertImage('avatar', withNotes)).bytes).metadata()).exif).toBeUndefined()
  })

  test('refuses an empty picture', async () => {
    await expect(convertImage('avatar', Buffer.alloc(0))).rejects.toMatchObject({ code: 'file.missing' })
  })

  test('refuses a picture that is one byte larger than 3 MB', async () => {
    await expect(convertImage('avatar', Buffer.alloc(Limits.maxImageBytes + 1))).rejects.toMatchObject({
      code: 'file.too-large',
    })
  })

  test.each([
    ['text', Buffer.from('not a picture')],
    ['a vector drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['a truncated GIF', Buffer.from('GIF89a\x01\x00')],
  ])('refuses %s', async (_what, bytes) => {
    await expect(convertImage('avatar', bytes)).rejects.toMatchObject({ code: 'file.unreadable' })
  })

  test('refuses a truncated picture', async () => {
    const png = await picture(300, 300).png().toBuffer()
    await expect(convertImage('poster', png.subarray(0, png.length - 40))).rejects.toMatchObject({ code: 'file.unreadable' })
  })

  test('refuses a picture that has few bytes but too many pixels', async () => {
    const bomb = createPng({ width: 16_000, height: 16_000 })
    await expect(convertImage('avatar', bomb)).rejects.toMatchObject({ code: 'file.too-large' })
  })
})

describe('conversion of hostile pictures', () => {
  // A lower time limit than in production makes the test faster and has the same effect.
  const quick = createImageConverter({ log: { warn: () => {} }, maxCpuSeconds: 2 })
  afterAll(() => quick.close())

  test('refuses hostile pictures of every kind', async () => {
    const outcomes: string[] = []
    for (const [what, bytes] of await createHostilePictures()) {
      const outcome = await quick.convert('avatar', bytes, platformCaller).then(
        ({ name }) => name,
        (error) => error.code,
      )
      if (outcome !== 'file.too-large' && outcome !== 'file.unreadable') outcomes.push(`${what}: ${outcome}`)
    }
    expect(outcomes).toEqual([])
  })

  test('refuses a picture that needs more memory than its header says, and accepts the next picture', async () => {
    // The picture has partial transparency. Encoding such a WebP needs several times the memory that its header suggests.
    const greedy = await sharp({
      create: { width: 4000, height: 3000, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0.5 } },
    })
      .webp({ lossless: true, effort: 0 })
      .toBuffer()
    await expect(convertImage('poster', greedy)).rejects.toMatchObject({ code: 'file.too-large' })
    expect((await convertImage('avatar', greedy)).name).toBe('avatar.webp')
  })
})
