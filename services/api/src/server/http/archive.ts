import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { chooseFreeName, safeFileName, type TakenNames } from '@capstan/challenge-files/safe-names'
import { Guard } from '@capstan/http/guard'
import type { FastifyReply } from 'fastify'
import { pack } from 'tar-stream'
import { formatAttachmentDisposition } from './content-disposition.ts'

export type ArchiveEntry = Readonly<{
  name: string
  sizeBytes: number
  modifiedAt: Date
  open(): Promise<Readable>
}>

/**
 * Streams `{baseName}.tar.gz`, which contains the files in a folder of that name. Reads one file at a time. An unreadable file
 * aborts the download, so that clients notice the incomplete archive.
 */
export function sendArchive(reply: FastifyReply, baseName: string, entries: readonly ArchiveEntry[]): FastifyReply {
  const folder = safeFileName(baseName)
  const taken: TakenNames = new Map()
  const archive = pack()
  const gzip = createGzip()
  const fill = async () => {
    for (const entry of entries) {
      const content = await entry.open()
      if (gzip.destroyed) return void content.destroy()
      const slot = archive.entry({
        name: `${folder}/${chooseFreeName(safeFileName(entry.name), taken)}`,
        size: entry.sizeBytes,
        mtime: entry.modifiedAt,
      })
      await pipeline(content, slot)
    }
    archive.finalize()
  }
  fill().catch((error: unknown) => {
    // This error is not a failure, because the client has closed the connection.
    if (gzip.destroyed) return
    reply.log.error({ err: error }, 'The archive was aborted')
    archive.destroy()
    gzip.destroy(error instanceof Error ? error : new Error('The archive was aborted'))
  })
  new Guard(reply.log, gzip, archive).once(gzip, 'close', () => archive.destroy())
  archive.pipe(gzip)
  return reply
    .header('content-disposition', formatAttachmentDisposition(`${folder}.tar.gz`))
    .header('cache-control', 'private, no-store')
    .type('application/gzip')
    .send(gzip)
}
