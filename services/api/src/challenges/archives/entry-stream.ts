import { createReadStream } from 'node:fs'
import { pipeline, Readable, Transform } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { UnfitArchive } from './unfit-archive.ts'

/** File of an archive, with the data that is needed to read it without the directory of the archive. */
export type ArchivedFile = Readonly<{
  path: string
  start: number
  packedBytes: number
  sizeBytes: number
  isDeflated: boolean
  crc: number
}>

/** Creates a stream that passes data on, and fails if size or checksum differ from those in the directory of the archive. */
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
export function openEntry(descriptor: number, file: ArchivedFile): Readable {
  const { start, packedBytes, isDeflated } = file
  // If a file descriptor is given, the path is ignored.
  const range = { fd: descriptor, autoClose: false, start, end: start + packedBytes - 1 }
  const packed = packedBytes === 0 ? Readable.from([]) : createReadStream('', range)
  const checked = exactly(file)
  // The pipeline passes all errors to `checked`.
  if (isDeflated) pipeline(packed, createInflateRaw(), checked, () => {})
  else pipeline(packed, checked, () => {})
  return checked
}
