import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { freeName, safeFileName } from '@capstan/challenge-files/safe-names'
import { Guard } from '@capstan/http/guard'
import type { FastifyReply } from 'fastify'
import { pack } from 'tar-stream'
import { attachmentDisposition } from './content-disposition.ts'

export type ArchiveEntry = Readonly<{
  /** Without folders. */
  name: string
  sizeBytes: number
  modifiedAt: Date
  open(): Promise<Readable>
}>

/**
 * Sends `{baseName}.tar.gz` with the files in one folder of that name, while they are read: one file at a time, nothing kept.
 * A file that cannot be read breaks the download off, so that nobody takes a part for the whole.
 */
export function sendArchive(reply: FastifyReply, baseName: string, entries: readonly ArchiveEntry[]): FastifyReply {
  const folder = safeFileName(baseName)
  const taken = new Set<string>()
  const archive = pack()
  const gzip = createGzip()
  const fill = async () => {
    for (const entry of entries) {
      const content = await entry.open()
      if (gzip.destroyed) return void content.destroy()
      const slot = archive.entry({
        name: `${folder}/${freeName(safeFileName(entry.name), taken)}`,
        size: entry.sizeBytes,
        mtime: entry.modifiedAt,
      })
      await pipeline(content, slot)
    }
    archive.finalize()
  }
  fill().catch((error: unknown) => {
    // The client has closed the connection.
    if (gzip.destroyed) return
    reply.log.error({ err: error }, 'Archive broke off')
    archive.destroy()
    gzip.destroy(error instanceof Error ? error : new Error('Archive broke off'))
  })
  new Guard(reply.log, gzip, archive).once(gzip, 'close', () => archive.destroy())
  archive.pipe(gzip)
  return reply
    .header('content-disposition', attachmentDisposition(`${folder}.tar.gz`))
    .header('cache-control', 'private, no-store')
    .type('application/gzip')
    .send(gzip)
}
