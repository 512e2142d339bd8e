import { describe, expect, test } from 'vitest'
import { type PictureFacts, parsePictureMetadata, refuseCostlyPicture } from './facts.ts'

function facts(change: Partial<PictureFacts> = {}): PictureFacts {
  return {
    ...{ format: 'jpeg', width: 4000, height: 3000, frames: 1, isProgressive: false, channels: 3, sampleBytes: 1 },
    ...change,
  }
}

describe('limits of pictures', () => {
  test.each([
    ['a photograph of a phone', {}],
    ['a progressive photograph', { isProgressive: true }],
    ['a PNG', { format: 'png' }],
    ['a WebP', { format: 'webp' }],
    ['an AVIF of a screen', { format: 'heif', width: 3840, height: 2160 }],
  ] as const)('accepts %s at its original size', (_what, change) => {
    expect(refuseCostlyPicture(facts(change), true)).toBeUndefined()
  })

  test.each([
    ['an AVIF of 12 megapixels', { format: 'heif' }],
    ['a deep AVIF of a screen', { format: 'heif', width: 3840, height: 2160, sampleBytes: 2 }],
    ['an interlaced PNG of 49 megapixels', { format: 'png', width: 7000, height: 7000, isProgressive: true }],
    [
      'a deep interlaced PNG of 24 megapixels',
      { format: 'png', width: 6000, isProgressive: true, channels: 4, sampleBytes: 2, height: 4000 },
    ],
    ['a progressive JPEG of 49 megapixels', { width: 7000, height: 7000, isProgressive: true }],
    ['a GIF of 49 megapixels', { format: 'gif', width: 7000, height: 7000 }],
    ['a long animation', { format: 'gif', width: 1000, height: 1000, frames: 101 }],
    ['a JPEG over 50 megapixels', { width: 10_000, height: 5001 }],
  ] as const)('refuses %s as an avatar', (_what, change) => {
    expect(refuseCostlyPicture(facts(change), false)).toBe('file.too-large')
  })

  test('accepts a picture with more pixels if it is reduced in size', () => {
    const large = facts({ width: 7000, height: 7000 })
    expect([refuseCostlyPicture(large, false), refuseCostlyPicture(large, true)]).toEqual([undefined, 'file.too-large'])
  })
})

describe('metadata of a picture from the decoder', () => {
  const header = { format: 'png', width: 3, height: 2, frames: 1, isProgressive: false, depth: 'ushort', channels: 4 }
  const parse = (answer: unknown, picture = Buffer.alloc(0)) => parsePictureMetadata(Buffer.from(JSON.stringify(answer)), picture)

  test('accepts complete metadata', () => {
    expect(parse(header)).toEqual({
      format: 'png',
      width: 3,
      height: 2,
      frames: 1,
      isProgressive: false,
      channels: 4,
      sampleBytes: 2,
    })
  })

  test.each([
    ['another format', { ...header, format: 'svg' }],
    ['no width', { ...header, width: undefined }],
    ['a width that is not a number', { ...header, width: '3' }],
    ['a negative height', { ...header, height: -2 }],
    ['a fraction of a frame', { ...header, frames: 0.5 }],
    ['only null', null],
    ['a list', []],
  ])('refuses metadata with %s', (_what, answer) => {
    expect(parse(answer)).toBeUndefined()
  })

  test('refuses metadata that is not JSON', () => {
    expect(parsePictureMetadata(Buffer.from('{'), Buffer.alloc(0))).toBeUndefined()
  })

  test('the size of a GIF is the size of its canvas, because browsers allocate the whole canvas', () => {
    const picture = Buffer.from('GIF89a\xff\xff\x05\x00', 'latin1')
    expect(parse({ ...header, format: 'gif' }, picture)).toMatchObject({ width: 65_535, height: 5 })
  })
})
