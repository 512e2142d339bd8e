import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { Guard } from '@capstan/http/guard'
import { ZipFile } from 'yazl'

export type PackedFile = Readonly<{
  path: string
  open(): Promise<Readable>
}>

/** Fixed attributes of every file, so that equal content gives an equal archive. */
const options = { mtime: new Date(Date.UTC(1980, 0, 2)), mode: 0o100644 } as const

/** Opens a file and waits for its first bytes or its end. @throws if the file cannot be opened or read */
async function openFirst({ open }: PackedFile): Promise<Readable> {
  const content = await open()
  const begun = new AbortController()
  // A stream that already ended may emit `end` without `readable`.
  await Promise.race(['readable', 'end'].map((event) => once(content, event, { signal: begun.signal })))
  begun.abort()
  return content
}

/**
 * Streams a zip file, one file at a time. The promise rejects if the first file cannot be read, because an error response is then
 * still possible. A later file that cannot be read aborts the stream, so that clients notice the incomplete archive.
 */
export async function writeZip(files: readonly PackedFile[], texts: ReadonlyMap<string, string> = new Map()): Promise<Readable> {
  const [first] = files
  const firstContent = first && (await openFirst(first))
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const breakOff = (cause: unknown) =>
    void output.destroy(cause instanceof Error ? cause : new Error('The archive was aborted', { cause }))
  const guard = new Guard(undefined, output)
  let current = firstContent
  const take = (content: Readable): void => {
    current = content
    guard.once(content, 'error', breakOff)
    if (output.destroyed) content.destroy()
  }
  if (firstContent) take(firstContent)
  guard.once(output, 'close', () => current?.destroy())
  guard.on(zip, 'error', breakOff)
  for (const [path, text] of texts) zip.addBuffer(Buffer.from(text), path, options)
  for (const file of files)
    zip.addReadStreamLazy(file.path, options, (done) => {
      if (firstContent && file === first) return done(null, firstContent)
      file.open().then((content) => {
        take(content)
        done(null, content)
      }, breakOff)
    })
  zip.end()
  return output
}
