import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import sharp, { type Sharp } from 'sharp'

/** An image as it is stored: bytes and full name, for example `avatar.webp`. */
export interface StoredImage {
  readonly bytes: Buffer
  readonly name: string
}

/** What images become (behaviour §17). Without a width an image keeps its size. */
export const imageKinds = {
  avatar: { width: Limits.avatarWidthPx },
  poster: { width: undefined },
  logo: { width: Limits.logoWidthPx },
  favicon: { width: Limits.faviconWidthPx },
} as const satisfies Record<string, { width: number | undefined }>

export type ImageKind = keyof typeof imageKinds

/** Formats of the contract's upload calls; AVIF and HEIC are both HEIF containers. Vector formats are left out on purpose. */
const readableFormats: ReadonlySet<string> = new Set(['png', 'gif', 'jpeg', 'webp', 'heif'])

/** Larger pictures are refused before they are decoded: a few bytes can stand for gigabytes of pixels. */
const maxPixels = 50_000_000
const webpMaxSidePx = 16_383

const open = (bytes: Buffer): Sharp => sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })

const convert = async (bytes: Buffer, width: number | undefined): Promise<{ bytes: Buffer; isGif: boolean }> => {
  const { format } = await open(bytes).metadata()
  if (!readableFormats.has(format)) throw new Error(`Images of the format ${format} are not taken`)
  if (format === 'gif') {
    // Decoded once to find broken ones; kept as it is, so that it goes on moving.
    await open(bytes).resize(1).raw().toBuffer()
    return { bytes, isGif: true }
  }
  const upright = open(bytes).autoOrient()
  const sized =
    width === undefined
      ? upright.resize(webpMaxSidePx, webpMaxSidePx, { fit: 'inside', withoutEnlargement: true })
      : upright.resize(width)
  return { bytes: await sized.webp().toBuffer(), isGif: false }
}

/**
 * Brings an uploaded picture into the form it is stored in.
 * @param bytes at most 3 MB
 * @throws Problem `file.too-large` over 3 MB, `file.missing` when empty, `file.unreadable` when it is no picture we take
 */
export const convertImage = async (kind: ImageKind, bytes: Buffer): Promise<StoredImage> => {
  if (bytes.length === 0) throw new Problem('file.missing')
  if (bytes.length > Limits.imageMaxBytes) throw new Problem('file.too-large')
  try {
    const converted = await convert(bytes, imageKinds[kind].width)
    return { bytes: converted.bytes, name: `${kind}.${converted.isGif ? 'gif' : 'webp'}` }
  } catch {
    // Whatever the decoder says about the bytes, the uploader can only choose another picture.
    throw new Problem('file.unreadable')
  }
}
