import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

/** Formats of the contract's upload calls; AVIF is one in an HEIF container. Vector formats are left out on purpose. */
const formats = ['png', 'gif', 'jpeg', 'webp', 'heif'] as const

/** What the header of a picture says. */
export type PictureFacts = Readonly<{
  format: (typeof formats)[number]
  width: number
  height: number
  frames: number
  /** Interlaced, or in passes: held as a whole until the last of it is there. */
  isProgressive: boolean
  /** Of one color in one pixel, once decoded. */
  sampleBytes: 1 | 2
  channels: number
}>

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

/** A GIF is kept, and whoever shows it makes room for the whole screen that it asks for; the decoder only for what is drawn. */
function screenSideOfGif(picture: Buffer, at: 6 | 8): number {
  return picture.length > at + 1 ? picture.readUInt16LE(at) : 0
}

/**
 * What the decoder found in the header of a picture. Takes nothing on trust.
 * @returns undefined for any other shape
 */
export function parseFacts(answer: Buffer, picture: Buffer): PictureFacts | undefined {
  let told: Record<string, unknown>
  try {
    told = Object(JSON.parse(answer.toString()))
  } catch {
    return undefined
  }
  const { width, height, frames, isProgressive, depth, channels } = told
  const format = formats.find((known) => known === told.format)
  if (!format || !isCount(width) || !isCount(height) || !isCount(frames) || !isCount(channels)) return undefined
  if (typeof isProgressive !== 'boolean') return undefined
  const [screenWidth, screenHeight] = format === 'gif' ? [screenSideOfGif(picture, 6), screenSideOfGif(picture, 8)] : [0, 0]
  const size = { width: Math.max(width, screenWidth), height: Math.max(height, screenHeight) }
  return { format, ...size, frames, isProgressive, channels, sampleBytes: depth === 'uchar' ? 1 : 2 }
}

/** Bytes for each pixel while libvips decodes, as measured with it; what is read in rows needs next to nothing. */
function decodingBytes({ format, isProgressive, sampleBytes, channels }: PictureFacts): number {
  if (format === 'heif') return sampleBytes === 1 ? 20 : 28
  if (format === 'gif') return 7
  if (format === 'webp') return 5
  // A coefficient of 16 bits for each color.
  if (format === 'jpeg') return isProgressive ? 2 * channels + 1 : 2
  return isProgressive ? channels * sampleBytes + 2 : 2
}

/** Bytes for each pixel of a WebP that is made. */
const encodingBytes = 8

/** Memory that storing the picture takes beside what the process takes anyway. */
function neededBytes(facts: PictureFacts, keepsSize: boolean): number {
  const pixels = facts.width * facts.height
  // The planes of an AVIF are given back before a WebP is begun.
  const ofBoth = facts.format === 'heif' ? 0 : encodingBytes
  return pixels * (decodingBytes(facts) + (keepsSize ? ofBoth : 0))
}

/**
 * Judges a picture by its header, before it is decoded: a few bytes can stand for gigabytes of pixels.
 * @param keepsSize whether it is stored in its own size
 */
export function refusePicture(facts: PictureFacts, keepsSize: boolean): Extract<ProblemCode, 'file.too-large'> | undefined {
  const pixels = facts.width * facts.height
  const isTooLarge =
    pixels > Limits.pictureMaxPixels ||
    pixels * facts.frames > Limits.pictureMaxFramePixels ||
    neededBytes(facts, keepsSize) > Limits.pictureMemoryMaxBytes
  return isTooLarge ? 'file.too-large' : undefined
}
