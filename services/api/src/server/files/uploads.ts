import { Readable } from 'node:stream'
import { InputLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { BodyCollector } from '../http/body-collector.ts'

export type UploadedFile = Readonly<{
  fileName: string
  contentType: string
  content: Readable
  /** Returns true if the file was truncated because it exceeded the maximum size. */
  isTooLarge(): boolean
}>

/** Turns a parser error into a problem, because the client sent a malformed body. Fastify's errors already have codes. */
function asProblem(error: unknown): unknown {
  return error instanceof Error && !(error instanceof Problem) && !('code' in error && String(error.code).startsWith('FST_'))
    ? new Problem('request.invalid', { detail: 'multipart' })
    : error
}

async function* bytesOf(part: MultipartFile): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of part.file) {
      yield chunk as Buffer
      // Stop here. Otherwise, the loop would wait for the end of the truncated part.
      if (part.file.truncated) return
    }
  } catch (error) {
    throw asProblem(error)
  }
}

function present(part: MultipartFile): UploadedFile {
  return {
    fileName: part.filename ?? '',
    contentType: part.mimetype,
    content: Readable.from(bytesOf(part)),
    isTooLarge: () => part.file.truncated,
  }
}

/**
 * Yields the files of one form field of a multipart body as they arrive. Other fields are ignored.
 * @param maxBytes maximum size of each file. A longer file is truncated, and `isTooLarge` returns true for this file.
 * @param maxFiles limits the whole body to the size of this number of files of maximum size
 * @throws Problem `request.invalid` for a malformed body, `request.too-slow` for a slow sender
 * @throws Problem `request.too-large` if the body is larger than all files may be
 */
export async function* uploadedFiles(
  request: FastifyRequest,
  maxBytes: number,
  field: string,
  maxFiles = 1,
): AsyncGenerator<UploadedFile> {
  const parts = request.parts({
    limits: {
      fileSize: maxBytes,
      files: InputLimits.maxFilesPerUpload,
      fields: InputLimits.maxUploadFields,
      fieldSize: InputLimits.maxUploadFieldBytes,
    },
  })
  let current: MultipartFile | undefined
  const giveUp = Promise.withResolvers<never>()
  // Prevents an unhandled rejection if no code waits for this promise. The error is not lost: code that reads the file receives it
  // from the file's stream.
  giveUp.promise.catch(() => {})
  const watch = request.server.watchUpload(request)
  watch.read(maxFiles * maxBytes + InputLimits.maxUploadOverheadBytes, (code) => {
    const problem = new Problem(code)
    giveUp.reject(problem)
    // The stream of a truncated file needs no error, because the caller refuses the file.
    if (!current?.file.truncated) current?.file.destroy(problem)
  })
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), giveUp.promise]).catch((error: unknown) => {
        throw asProblem(error)
      })
      if (next.done) return
      if (next.value.type !== 'file') continue
      current = next.value
      if (current.fieldname === field) yield present(current)
      else current.file.resume()
    }
  } finally {
    // A caller may stop early. Drain the rest of the body, since most clients read the response only after they finished sending.
    watch.ignoreRest()
  }
}

/** Returns the problem for a form field that contains no file or only empty files. */
export function toMissingFileProblem(field: string): Problem {
  return new Problem('file.missing', { detail: `The form field "${field}" holds no file, or an empty one.` })
}

async function readAll(request: FastifyRequest, file: UploadedFile): Promise<Buffer> {
  const body = new BodyCollector()
  for await (const chunk of file.content as AsyncIterable<Buffer>) {
    request.server.holdUpload(request, chunk.length)
    body.add(chunk)
  }
  if (file.isTooLarge()) throw new Problem('file.too-large')
  return body.bytes()
}

export type UploadedBytes = Readonly<{
  fileName: string
  contentType: string
  bytes: Buffer
}>

/**
 * Reads the file of a call that takes exactly one file. Other fields of the body are ignored.
 * @param field name of the form field
 * @throws Problem `file.missing` if the file is missing or empty, `file.too-large`
 * @throws Problem `request.rate-limited` if uploads use too much memory, `request.invalid` for a malformed body or a second file
 */
export async function readUpload(request: FastifyRequest, field: string, maxBytes: number): Promise<UploadedBytes> {
  let found: UploadedBytes | undefined
  for await (const file of uploadedFiles(request, maxBytes, field)) {
    if (found) throw new Problem('request.invalid', { detail: 'multipart' })
    found = { fileName: file.fileName, contentType: file.contentType, bytes: await readAll(request, file) }
  }
  if (!found || found.bytes.length === 0) throw toMissingFileProblem(field)
  return found
}

/**
 * Streams the file of a call that takes exactly one file, without loading the file into memory.
 * @param take function that reads the content to its end
 * @param maxBytes longer content is truncated
 * @throws Problem `file.missing` if there is no file, `request.invalid` for a malformed body
 */
export async function streamUpload<Result>(
  request: FastifyRequest,
  field: string,
  maxBytes: number,
  take: (content: Readable) => Promise<Result>,
): Promise<Result> {
  for await (const file of uploadedFiles(request, maxBytes, field)) {
    return await take(file.content)
  }
  throw toMissingFileProblem(field)
}
