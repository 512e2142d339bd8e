import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  gunzipSync,
  gzip,
  gzipSync,
  type InputType,
  zstdCompress,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'
import type { ContentEncoding } from './content-encoding.ts'

/** Minimum size of a response to compress. Smaller ones do not shrink. */
export const minCompressedBytes = 1024

/** Maximum size to compress synchronously. This takes about 50 µs, less than a handover to another thread. */
const maxSyncBytes = 64 * 1024

export const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }
export const gzipOptions = { level: 4 }

const inThread = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
  zstd: promisify(zstdCompress),
}

type Compressor = Readonly<{
  now: (input: InputType) => Buffer
  later: (input: InputType) => Promise<Buffer>
}>

const compressors: Record<Exclude<ContentEncoding, 'identity'>, Compressor> = {
  br: { now: (input) => brotliCompressSync(input, brotliOptions), later: (input) => inThread.br(input, brotliOptions) },
  gzip: { now: (input) => gzipSync(input, gzipOptions), later: (input) => inThread.gzip(input, gzipOptions) },
  zstd: { now: (input) => zstdCompressSync(input), later: (input) => inThread.zstd(input) },
}

const decompressors: Record<ContentEncoding, (output: Buffer) => Buffer> = {
  identity: (output) => output,
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

/** Reverts `compress`. */
export function decompress(encoding: ContentEncoding, output: Buffer): Buffer {
  return decompressors[encoding](output)
}

/** Compresses small inputs synchronously and larger ones in another thread. */
export function compress(encoding: Exclude<ContentEncoding, 'identity'>, input: string | Buffer): Buffer | Promise<Buffer> {
  const { now, later } = compressors[encoding]
  return Buffer.byteLength(input) <= maxSyncBytes ? now(input) : later(input)
}
