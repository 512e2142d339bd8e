import type { Readable } from 'node:stream'
import { Guard } from '@capstan/http/guard'
import { ZipFile } from 'yazl'

export type PackedFile = Readonly<{
  path: string
  open(): Promise<Readable>
}>

/** Fixed attributes of every file, so that equal content gives an equal archive. */
const options = { mtime: new Date(Date.UTC(1980, 0, 2)), mode: 0o100644 } as const

/**
 * Streams a zip file, one file at a time. A file that cannot be read aborts the stream, so that clients notice the incomplete
 * archive.
 */
export function writeZip(files: readonly PackedFile[], texts: ReadonlyMap<string, string> = new Map()): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const breakOff = (cause: unknown) =>
    void output.destroy(cause instanceof Error ? cause : new Error('The archive was aborted', { cause }))
  const guard = new Guard(undefined, output)
  guard.on(zip, 'error', breakOff)
  for (const [path, text] of texts) zip.addBuffer(Buffer.from(text), path, options)
  for (const { path, open } of files)
    zip.addReadStreamLazy(path, options, (done) => {
      open().then((content) => {
        guard.once(content, 'error', breakOff)
        done(null, content)
      }, breakOff)
    })
  zip.end()
  return output
}
