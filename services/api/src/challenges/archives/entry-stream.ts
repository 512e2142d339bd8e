import { createReadStream } from 'node:fs'
import { pipeline, Readable, Transform } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { UnfitArchive } from './unfit-archive.ts'

/** A file in an archive, with all that is needed to read it later without its directory. */
export type ArchivedFile = Readonly<{
  path: string
  /** Where its packed bytes begin in the archive. */
  start: number
  packedBytes: number
  sizeBytes: number
  isDeflated: boolean
  crc: number
}>

/** Ends with a failure unless exactly the bytes come that the directory tells of. */
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

/** The content of a file in an archive, unpacked while it is read. The archive stays open as long. */
export function openEntry(descriptor: number, file: ArchivedFile): Readable {
  const { start, packedBytes, isDeflated } = file
  // The name is not looked at where a file is open already.
  const range = { fd: descriptor, autoClose: false, start, end: start + packedBytes - 1 }
  const packed = packedBytes === 0 ? Readable.from([]) : createReadStream('', range)
  const checked = exactly(file)
  // What fails is told by the last of them.
  if (isDeflated) pipeline(packed, createInflateRaw(), checked, () => {})
  else pipeline(packed, checked, () => {})
  return checked
}
