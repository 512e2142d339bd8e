import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

/**
 * Accepted formats of uploads. The decoder reports AVIF files as HEIF, which is the format of their container. Vector formats are
 * excluded deliberately.
 */
const formats = ['png', 'gif', 'jpeg', 'webp', 'heif'] as const

export type PictureFacts = Readonly<{
  format: (typeof formats)[number]
  width: number
  height: number
  frames: number
  /** True if the picture is interlaced or progressive. The decoder then needs the whole picture in memory. */
  isProgressive: boolean
  /** Number of bytes of one decoded color sample. */
  sampleBytes: 1 | 2
  channels: number
}>

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

/**
 * Reads the width or height of a GIF's canvas. The decoder does not allocate the whole canvas, but viewers of the stored GIF do.
 */
function screenSideOfGif(picture: Buffer, at: 6 | 8): number {
  return picture.length > at + 1 ? picture.readUInt16LE(at) : 0
}

/**
 * Parses and validates the metadata that the decoder returns for a picture.
 * @returns undefined if the metadata is malformed
 */
export function parsePictureMetadata(answer: Buffer, picture: Buffer): PictureFacts | undefined {
  let header: Record<string, unknown>
  try {
    header = Object(JSON.parse(answer.toString()))
  } catch {
    return undefined
  }
  const { width, height, frames, isProgressive, depth, channels } = header
  const format = formats.find((known) => known === header.format)
  if (!format || !isCount(width) || !isCount(height) || !isCount(frames) || !isCount(channels)) return undefined
  if (typeof isProgressive !== 'boolean') return undefined
  const [screenWidth, screenHeight] = format === 'gif' ? [screenSideOfGif(picture, 6), screenSideOfGif(picture, 8)] : [0, 0]
  const size = { width: Math.max(width, screenWidth), height: Math.max(height, screenHeight) }
  return { format, ...size, frames, isProgressive, channels, sampleBytes: depth === 'uchar' ? 1 : 2 }
}

/**
 * Returns the memory that libvips needs to decode a pixel, in bytes. The values are measured. Formats that are read row by row need
 * very little.
 */
function decodingBytes({ format, isProgressive, sampleBytes, channels }: PictureFacts): number {
  if (format === 'heif') return sampleBytes === 1 ? 20 : 28
  if (format === 'gif') return 7
  if (format === 'webp') return 5
  // Decoding a progressive JPEG needs a 16-bit coefficient for each pixel and color channel.
  if (format === 'jpeg') return isProgressive ? 2 * channels + 1 : 2
  return isProgressive ? channels * sampleBytes + 2 : 2
}

/** Memory per pixel to encode a WebP, in bytes. */
const encodingBytes = 8

/** Returns the memory that the conversion of the picture needs, in addition to the process's base memory. */
function neededBytes(facts: PictureFacts, keepsSize: boolean): number {
  const pixels = facts.width * facts.height
  // For an AVIF, encoding reuses the memory that decoding has freed.
  const ofBoth = facts.format === 'heif' ? 0 : encodingBytes
  return pixels * (decodingBytes(facts) + (keepsSize ? ofBoth : 0))
}

/**
 * Refuses a picture by its header before it is decoded, because a few bytes can represent gigabytes of pixels.
 * @param keepsSize true if the picture is stored at its original size
 */
export function refuseCostlyPicture(facts: PictureFacts, keepsSize: boolean): Extract<ProblemCode, 'file.too-large'> | undefined {
  const pixels = facts.width * facts.height
  const isTooLarge =
    pixels > Limits.maxPicturePixels ||
    pixels * facts.frames > Limits.maxPictureFramePixels ||
    neededBytes(facts, keepsSize) > Limits.maxPictureMemoryBytes
  return isTooLarge ? 'file.too-large' : undefined
}
