import { HeaderLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import mime from 'mime'
import { formatAttachmentDisposition } from '../http/content-disposition.ts'
import { matchesEtag } from '../http/etag.ts'
import { detectImageType, sniffedImageBytes } from './image-type.ts'
import type { FileRow } from './repository.ts'
import { type FileDeps, findFile, openFile } from './service.ts'

const fallbackType = 'application/octet-stream'

export type ByteRange = Readonly<{
  start: number
  end: number
}>

/**
 * Parses a `Range` header. Several ranges and units other than bytes are ignored (RFC 9110, section 14).
 * @returns undefined for the full content, `unsatisfiable` for status 416
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (header !== undefined && header.length > HeaderLimits.maxRangeBytes) return undefined
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(/\s/g, '') ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start < size ? { start, end } : 'unsatisfiable'
}

function inSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

function isNotModified(request: FastifyRequest, etag: string, modified: Date): boolean {
  const { 'if-none-match': noneMatch, 'if-modified-since': since } = request.headers
  if (noneMatch !== undefined) return matchesEtag(noneMatch, etag)
  const instant = since === undefined ? Number.NaN : Date.parse(since)
  return !Number.isNaN(instant) && inSeconds(modified) <= Math.floor(instant / 1000)
}

/** True if a range may be sent. With If-Range, this requires that the content has not changed. */
function wantsRange(request: FastifyRequest, etag: string, modified: Date): boolean {
  const { 'if-range': condition } = request.headers
  if (condition === undefined) return true
  return condition === etag || Date.parse(String(condition)) === inSeconds(modified) * 1000
}

async function readHead(deps: FileDeps, file: FileRow): Promise<Buffer> {
  const stream = await openFile(deps, file.hash, { start: 0, end: Math.min(sniffedImageBytes, file.sizeBytes) - 1 })
  return Buffer.concat(await Array.fromAsync(stream, (chunk: Buffer) => chunk))
}

/** Returns the media type for the extension of the name. Without an extension, the first bytes decide whether it is an image. */
async function contentTypeOf(deps: FileDeps, file: FileRow, name: string): Promise<string> {
  if (/\.[^.]+$/.test(name)) return mime.getType(name) ?? fallbackType
  return detectImageType(await readHead(deps, file)) ?? fallbackType
}

/**
 * Sends stored content, always as a download and never inline. Supports conditional and range requests (RFC 9110).
 * @param name free text from the URL. It determines the type and the name of the download, and is never used as a path.
 * @throws Problem `file.unknown`
 */
export async function serveFile(
  deps: FileDeps,
  { hash, name }: { hash: string; name: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const file = await findFile(deps, hash)
  if (!file) throw new Problem('file.unknown')
  const etag = `"${hash.slice(8, 16)}"`
  reply.headers({
    etag,
    'last-modified': new Date(inSeconds(file.uploadedAt) * 1000).toUTCString(),
    'cache-control': 'public, max-age=604800',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  if (isNotModified(request, etag, file.uploadedAt)) return reply.status(304).send()
  const range = wantsRange(request, etag, file.uploadedAt) ? parseRange(request.headers.range, file.sizeBytes) : undefined
  if (range === 'unsatisfiable')
    return reply.status(416).header('content-range', `bytes */${file.sizeBytes}`).header('cache-control', 'no-store').send()
  reply.header('content-disposition', formatAttachmentDisposition(name)).type(await contentTypeOf(deps, file, name))
  if (!range) return reply.header('content-length', file.sizeBytes).send(await openFile(deps, hash))
  return reply
    .status(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`)
    .header('content-length', range.end - range.start + 1)
    .send(await openFile(deps, hash, range))
}
