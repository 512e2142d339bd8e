import { createReadStream } from 'node:fs'
import { pipeline, Readable, Transform } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { UnfitArchive } from './unfit-archive.ts'

/** Position, sizes and checksum of a file in an archive. They suffice to read the file without the archive's directory. */
export type ArchivedFile = Readonly<{
  path: string
  start: number
  packedBytes: number
  sizeBytes: number
  isDeflated: boolean
  crc: number
}>

/**
 * Creates a stream that passes its input on unchanged. It fails if the size or checksum differs from the value in the archive's
 * directory.
 */
function exactly({ sizeBytes, crc }: ArchivedFile): Transform {
  let count = 0
  let sum = 0
  const fail = () => new UnfitArchive('A file of the archive is damaged.')
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length
      sum = crc32(chunk, sum)
      if (count > sizeBytes) done(fail())
      else done(null, chunk)
    },
    flush: (done) => done(count === sizeBytes && sum === crc ? null : fail()),
  })
}

/** Streams the unpacked content of a file in an archive. The archive must remain open until the stream ends. */
export function openArchiveEntry(descriptor: number, file: ArchivedFile): Readable {
  const { start, packedBytes, isDeflated } = file
  // `createReadStream` ignores the path, because the options contain a file descriptor.
  const range = { fd: descriptor, autoClose: false, start, end: start + packedBytes - 1 }
  const packed = packedBytes === 0 ? Readable.from([]) : createReadStream('', range)
  const checked = exactly(file)
  // If any stream fails, the pipeline destroys `checked` with the same error. The code that reads `checked` therefore
  // gets every error.
  if (isDeflated) pipeline(packed, createInflateRaw(), checked, () => {})
  else pipeline(packed, checked, () => {})
  return checked
}
