import { Limits } from '@capstan/contract/limits'
import { Problem, type ProblemCode } from '@capstan/contract/problems'
import { createFairQueue, type QueueCaller } from '../fair-queue.ts'
import { createDecoder, DecoderError, type DecoderOptions } from './decoder/decoder.ts'
import { parsePictureMetadata, refuseCostlyPicture } from './decoder/facts.ts'
import { detectImageType } from './image-type.ts'

/** Converted image: its bytes and its full name, for example `avatar.webp`. */
export type StoredImage = Readonly<{
  bytes: Buffer
  name: string
}>

/** Target formats, with their decoder tasks and media types. */
const formats = {
  webp: { task: 'convert', type: 'image/webp', extension: 'webp' },
  jpeg: { task: 'convertToJpeg', type: 'image/jpeg', extension: 'jpg' },
  png: { task: 'convertToPng', type: 'image/png', extension: 'png' },
} as const

/**
 * Format and maximum size of each kind of picture. Without a width, a picture retains its size. Pictures of certificates are JPEG
 * or PNG, because PDF files can contain only these two formats. For certificates, the maximum width is also the maximum height.
 */
const imageKinds = {
  avatar: { widthPx: Limits.avatarWidthPx, keepsGif: true, format: 'webp' },
  poster: { widthPx: undefined, keepsGif: true, format: 'webp' },
  logo: { widthPx: Limits.logoWidthPx, keepsGif: true, format: 'webp' },
  /** The favicon is served as `/favicon.webp`, so a GIF is reduced to its first frame. */
  favicon: { widthPx: Limits.faviconWidthPx, keepsGif: false, format: 'webp' },
  certificateBackground: { widthPx: Limits.certificateBackgroundPx, keepsGif: false, format: 'jpeg' },
  certificatePicture: { widthPx: Limits.certificatePicturePx, keepsGif: false, format: 'png' },
} as const satisfies Record<string, { widthPx: number | undefined; keepsGif: boolean; format: keyof typeof formats }>

export type ImageKind = keyof typeof imageKinds

export interface ImageConverter {
  /**
   * Converts a picture. Callers take turns, so many pictures of one caller do not delay the other callers.
   * @param bytes at most 3 MB
   * @throws Problem `file.missing` if empty, `file.too-large` if over 3 MB or too large to decode
   * @throws Problem `file.unreadable` for other content, `request.rate-limited` if too many calls wait, `server.unavailable` if
   * there is no decoder
   */
  convert(kind: ImageKind, bytes: Buffer, caller: QueueCaller): Promise<StoredImage>
  close(): Promise<void>
}

export type ImageConverterOptions = DecoderOptions &
  Readonly<{
    log: { warn(fields: object, text: string): void }
  }>

const retryAfterSeconds = 10

/** Problem code for each kind of decoder failure. */
const problemOfFailure = {
  broken: 'file.unreadable',
  exhausting: 'file.too-large',
  unavailable: 'server.unavailable',
} as const satisfies Record<DecoderError['failure'], ProblemCode>

/** Decodes pictures in a separate process, one at a time. ADR 10. */
export function createImageConverter({ log, ...options }: ImageConverterOptions): ImageConverter {
  const decoder = createDecoder(options)
  const inTurn = createFairQueue({
    running: 1,
    maxWaiting: Limits.maxWaitingPictures,
    maxWaitMs: Limits.maxPictureWaitSeconds * 1000,
    refuse: () => new Problem('request.rate-limited', { retryAfterSeconds: Limits.maxPictureWaitSeconds }),
  })

  const decode = async (kind: ImageKind, picture: Buffer): Promise<StoredImage> => {
    const { widthPx, keepsGif, format } = imageKinds[kind]
    const { task, type, extension } = formats[format]
    const facts = parsePictureMetadata(await decoder.ask({ task: 'inspect', picture }), picture)
    if (!facts) throw new Problem('file.unreadable')
    const refusal = refuseCostlyPicture(facts, widthPx === undefined)
    if (refusal) throw new Problem(refusal)
    if (facts.format === 'gif' && keepsGif) {
      // This step only checks the GIF: a GIF that cannot be decoded is refused. A valid GIF is stored unchanged, because a
      // conversion would drop the animation.
      await decoder.ask({ task: 'check', picture })
      return { bytes: picture, name: `${kind}.gif` }
    }
    const bytes = await decoder.ask({ task, widthPx, picture })
    if (detectImageType(bytes) !== type) throw new Problem('file.unreadable')
    return { bytes, name: `${kind}.${extension}` }
  }

  return {
    async convert(kind, bytes, caller) {
      if (bytes.length === 0) throw new Problem('file.missing')
      if (bytes.length > Limits.maxImageBytes) throw new Problem('file.too-large')
      try {
        return await inTurn(caller, () => decode(kind, bytes))
      } catch (error) {
        if (!(error instanceof DecoderError)) throw error
        const { failure } = error
        if (failure !== 'broken') log.warn({ err: error, kind, bytes: bytes.length }, 'Could not decode a picture')
        throw new Problem(problemOfFailure[failure], failure === 'unavailable' ? { retryAfterSeconds } : {})
      }
    },
    close: () => decoder.close(),
  }
}
