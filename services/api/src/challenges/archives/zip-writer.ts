import type { Readable } from 'node:stream'
import { Guard } from '@capstan/http/guard'
import { ZipFile } from 'yazl'

/** A file that goes into an archive. */
export type PackedFile = Readonly<{
  path: string
  open(): Promise<Readable>
}>

/** Of every file in an archive, so that equal content makes an equal archive. */
const options = { mtime: new Date(Date.UTC(1980, 0, 2)), mode: 0o100644 } as const

/**
 * A zip that is written while it is read, one file at a time. A file that cannot be read breaks it off, so that nobody takes a part
 * for the whole.
 */
export function writeZip(files: readonly PackedFile[], texts: ReadonlyMap<string, string> = new Map()): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const breakOff = (cause: unknown) =>
    void output.destroy(cause instanceof Error ? cause : new Error('Archive broke off', { cause }))
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
