import type { Readable } from 'node:stream'
import { safeFileName } from '@capstan/challenge-files/safe-names'
import type { FastifyReply } from 'fastify'
import { formatAttachmentDisposition } from './content-disposition.ts'

export type Download = Readonly<{
  fileName: string
  content: Readable | Uint8Array
}>

export function sendDownload(reply: FastifyReply, type: string, { fileName, content }: Download): FastifyReply {
  return reply
    .headers({
      'content-disposition': formatAttachmentDisposition(safeFileName(fileName)),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    .type(type)
    .send(content)
}
