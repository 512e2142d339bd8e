import { pipeline, type Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gunzipSync,
  gzip,
  gzipSync,
  type InputType,
  zstdCompress,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'
import type { Compression, ContentEncoding } from './content-encoding.ts'

/** Minimum size of a response to compress. Smaller responses would not shrink. */
export const minCompressedBytes = 1024

/**
 * Maximum size of a body that is compressed synchronously. Larger bodies would delay other requests. gzip takes up to 0.2 ms for
 * this size.
 */
const maxSyncBytes = 8 * 1024

const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }
const gzipOptions = { level: 4 }

/** Window of a stream: 256 KiB. With the default windows, a stream of incompressible bytes takes up to 16 MB. */
const streamWindowLog = 18
const brotliStreamOptions = { params: { ...brotliOptions.params, [constants.BROTLI_PARAM_LGWIN]: streamWindowLog } }
const zstdStreamOptions = { params: { [constants.ZSTD_c_windowLog]: streamWindowLog } }

const inThread = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
  zstd: promisify(zstdCompress),
}

type Compressor = Readonly<{
  now: (input: InputType) => Buffer
  later: (input: InputType) => Promise<Buffer>
  stream: () => Transform
}>

const compressors: Record<Compression, Compressor> = {
  br: {
    now: (input) => brotliCompressSync(input, brotliOptions),
    later: (input) => inThread.br(input, brotliOptions),
    stream: () => createBrotliCompress(brotliStreamOptions),
  },
  gzip: {
    now: (input) => gzipSync(input, gzipOptions),
    later: (input) => inThread.gzip(input, gzipOptions),
    stream: () => createGzip(gzipOptions),
  },
  zstd: {
    now: (input) => zstdCompressSync(input),
    later: (input) => inThread.zstd(input),
    stream: () => createZstdCompress(zstdStreamOptions),
  },
}

const decompressors: Record<ContentEncoding, (output: Buffer) => Buffer> = {
  identity: (output) => output,
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

export function decompress(encoding: ContentEncoding, output: Buffer): Buffer {
  return decompressors[encoding](output)
}

/** Compresses small inputs synchronously, and larger inputs in another thread. */
export function compress(encoding: Compression, input: string | Buffer): Buffer | Promise<Buffer> {
  const { now, later } = compressors[encoding]
  return Buffer.byteLength(input) <= maxSyncBytes ? now(input) : later(input)
}

export function createCompressedStream(encoding: Compression, input: Readable): Readable {
  // The callback of `pipeline` does nothing, because the compressor forwards errors of both streams to the response.
  return pipeline(input, compressors[encoding].stream(), () => {})
}
