import type { Readable } from 'node:stream'
import { safeFileName } from '@capstan/challenge-files/safe-names'
import type { FastifyReply } from 'fastify'
import { attachmentDisposition } from './content-disposition.ts'

/** A file that was made for one call. */
export interface Download {
  readonly fileName: string
  readonly content: Readable | Uint8Array
}

/** Sends it to be kept under its name. */
export const sendDownload = (reply: FastifyReply, type: string, { fileName, content }: Download): FastifyReply =>
  reply
    .headers({
      'content-disposition': attachmentDisposition(safeFileName(fileName)),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    .type(type)
    .send(content)
