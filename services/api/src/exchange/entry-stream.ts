import { createReadStream } from 'node:fs'
import { pipeline, Readable, Transform } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { Problem } from '@capstan/contract/problems'
import type { ArchivedFile } from './zip-archive.ts'

/** Ends with a failure unless exactly so many bytes come. */
const exactly = (sizeBytes: number): Transform => {
  let count = 0
  const fail = () => new Problem('import.archive', { detail: 'A file of the archive is damaged.' })
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length
      if (count > sizeBytes) done(fail())
      else done(null, chunk)
    },
    flush: (done) => done(count === sizeBytes ? null : fail()),
  })
}

/** The content of a file in an archive, unpacked while it is read. */
export const openEntry = (archivePath: string, { start, packedBytes, sizeBytes, isDeflated }: ArchivedFile): Readable => {
  if (packedBytes === 0) return Readable.from([])
  const packed = createReadStream(archivePath, { start, end: start + packedBytes - 1 })
  const checked = exactly(sizeBytes)
  // What fails is told by the last of them.
  if (isDeflated) pipeline(packed, createInflateRaw(), checked, () => {})
  else pipeline(packed, checked, () => {})
  return checked
}
