import { readFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

/** AVIF of 1.3 kB with 49 megapixels of one color. The conversion of this picture to a WebP takes a long time. */
export const largeAvif = readFileSync(new URL('./one-color-7000x7000.avif', import.meta.url))

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  return Buffer.concat([u32(content.length), body, u32(crc32(body))])
}

type PngOptions = Readonly<{
  width: number
  height: number
  /** Color type of the PNG format. 0: grey, 2: RGB, 6: RGB with alpha. */
  colorType?: 0 | 2 | 6
  depth?: 8 | 16
  isInterlaced?: boolean
  /** Chunks to insert before the pixels. */
  chunks?: readonly Buffer[]
  /** Number of zero bytes in the decompressed pixel data. Default: the number that the header requires. */
  pixelBytes?: number
}>

/** Creates a PNG with this header and the given number of black pixels. */
export function createPng({
  width,
  height,
  colorType = 2,
  depth = 8,
  isInterlaced = false,
  chunks = [],
  pixelBytes = 0,
}: PngOptions): Buffer {
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([u32(width), u32(height), Buffer.from([depth, colorType, 0, 0, isInterlaced ? 1 : 0])])),
    ...chunks,
    chunk('IDAT', deflateSync(Buffer.alloc(pixelBytes), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Creates a compressed PNG chunk that decompresses to the given number of bytes. */
function packed(type: 'iCCP' | 'zTXt', bytes: number): Buffer {
  return chunk(type, Buffer.concat([Buffer.from('a\0\0', 'latin1'), deflateSync(Buffer.alloc(bytes), { level: 9 })]))
}

function u16(value: number): Buffer {
  return Buffer.from([value & 255, value >> 8])
}

/** Creates a GIF with frames that each cover one pixel of the canvas. */
export function createGif(width: number, height: number, frames: number): Buffer {
  const frame = Buffer.concat([
    Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0]),
    Buffer.from([2, 2, 0x44, 1, 0]),
  ])
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    u16(width),
    u16(height),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ])
}

/** Creates a WebP with frames that each cover one pixel of the canvas. */
async function animatedWebp(width: number, height: number, frames: number): Promise<Buffer> {
  const still = await sharp({ create: { width: 1, height: 1, channels: 4, background: 'red' } })
    .webp({ lossless: true })
    .toBuffer()
  const riff = (type: string, content: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(content.length)
    return Buffer.concat([Buffer.from(type, 'latin1'), size, content, Buffer.alloc(content.length % 2)])
  }
  const u24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16])
  const pixel = still.subarray(12)
  const frame = riff('ANMF', Buffer.concat([u24(0), u24(0), u24(0), u24(0), u24(10), Buffer.from([0]), pixel]))
  const body = Buffer.concat([
    Buffer.from('WEBP', 'latin1'),
    riff('VP8X', Buffer.concat([Buffer.from([0x12, 0, 0, 0]), u24(width - 1), u24(height - 1)])),
    riff('ANIM', Buffer.alloc(6)),
    ...Array.from({ length: frames }, () => frame),
  ])
  const size = Buffer.alloc(4)
  size.writeUInt32LE(body.length)
  return Buffer.concat([Buffer.from('RIFF', 'latin1'), size, body])
}

/** Functions that change the size in the header of a picture: in the `ispe` box of an AVIF, or in the frame header of a JPEG. */
const resized = {
  avif(picture: Buffer, width: number, height: number): Buffer {
    const copy = Buffer.from(picture)
    for (let at = copy.indexOf('ispe'); at >= 0; at = copy.indexOf('ispe', at + 1)) {
      copy.writeUInt32BE(width, at + 8)
      copy.writeUInt32BE(height, at + 12)
    }
    return copy
  },
  progressiveJpeg(picture: Buffer, width: number, height: number): Buffer {
    const copy = Buffer.from(picture)
    const at = copy.indexOf(Buffer.from([0xff, 0xc2]))
    copy.writeUInt16BE(height, at + 5)
    copy.writeUInt16BE(width, at + 7)
    return copy
  },
}

/** Creates a JPEG whose Exif directory contains thousands of references to itself. */
function withEndlessNotes(picture: Buffer): Buffer {
  const directory = Buffer.concat([
    Buffer.from('Exif\0\0II*\0\x08\0\0\0\xff\xff', 'latin1'),
    Buffer.alloc(60_000, Buffer.from('698704000100000008000000', 'hex')),
  ])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(directory.length + 2)
  return Buffer.concat([picture.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, directory, picture.subarray(2)])
}

/** Creates small files that need many resources to decode or that are not pictures. */
export async function createHostilePictures(): Promise<readonly (readonly [what: string, bytes: Buffer])[]> {
  const small = sharp({ create: { width: 64, height: 64, channels: 3, background: '#804020' } })
  const [avif, jpeg, plainPng, webp] = await Promise.all([
    small.clone().avif({ effort: 0 }).toBuffer(),
    small.clone().jpeg({ progressive: true }).toBuffer(),
    small.clone().png().toBuffer(),
    small.clone().webp().toBuffer(),
  ])
  const megabyte = 1024 * 1024
  return [
    ['an AVIF of 49 megapixels', largeAvif],
    ['an AVIF of 49 megapixels whose header says 64 x 64', resized.avif(largeAvif, 64, 64)],
    ['an AVIF of 12 megapixels', resized.avif(avif, 4000, 3000)],
    ['an AVIF whose header says 2,000 megapixels', resized.avif(avif, 65_535, 32_000)],
    ['an interlaced PNG of 49 megapixels', createPng({ width: 7000, height: 7000, isInterlaced: true, pixelBytes: 1000 })],
    [
      'a deep interlaced PNG of 24 megapixels',
      createPng({ width: 6000, height: 4000, colorType: 6, depth: 16, isInterlaced: true }),
    ],
    ['a PNG whose header says as much as it can', createPng({ width: 2 ** 31 - 1, height: 2 ** 31 - 1 })],
    ['a PNG of one column', createPng({ width: 1, height: 1_000_000, pixelBytes: 4_000_000 })],
    ['a PNG without pixels', createPng({ width: 300, height: 300 })],
    ['a PNG with notes of 64 MB', createPng({ width: 9, height: 9, chunks: [packed('zTXt', 64 * megabyte)] })],
    ['a PNG with a color profile of 64 MB', createPng({ width: 9, height: 9, chunks: [packed('iCCP', 64 * megabyte)] })],
    ['a progressive JPEG of 49 megapixels', resized.progressiveJpeg(jpeg, 7000, 7000)],
    ['a progressive JPEG whose header says 4,000 megapixels', resized.progressiveJpeg(jpeg, 65_500, 65_500)],
    ['a JPEG whose notes refer to themselves', withEndlessNotes(jpeg)],
    ['a GIF of 10,000 frames', createGif(2000, 2000, 10_000)],
    ['a GIF of 4,000 megapixels', createGif(65_535, 65_535, 1)],
    ['a WebP of 5,000 frames', await animatedWebp(2000, 2000, 5000)],
    ['a WebP of 268 megapixels', await animatedWebp(16_383, 16_383, 1)],
    ['a PNG that is cut off', plainPng.subarray(0, plainPng.length - 20)],
    ['a WebP that is cut off', webp.subarray(0, 40)],
    [
      'an SVG that grows without end',
      Buffer.from(
        `<!DOCTYPE svg [<!ENTITY a "${'b'.repeat(99)}"><!ENTITY b "${'&a;'.repeat(99)}">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>${'&b;'.repeat(99)}</text></svg>`,
      ),
    ],
    ['no picture', Buffer.alloc(100_000, 'no picture ')],
    ['nothing but a signature', Buffer.from('89504e470d0a1a0a', 'hex')],
  ]
}
