import { Readable } from 'node:stream'
import { InputLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'

/** One file of a multipart body, to be read to its end before the next one comes. */
export type UploadedFile = Readonly<{
  fileName: string
  contentType: string
  content: Readable
  /** True once more than the allowed bytes have arrived; the rest was cut off. */
  isTooLarge(): boolean
}>

/** A body that cannot be parsed is the sender's mistake; what has a code of its own keeps it. */
function asProblem(error: unknown): unknown {
  return error instanceof Error && !(error instanceof Problem) && !('code' in error && String(error.code).startsWith('FST_'))
    ? new Problem('request.invalid', { detail: 'multipart' })
    : error
}

/** Bytes of a part; also when it broke off before anybody listened. */
async function* bytesOf(part: MultipartFile): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of part.file) {
      yield chunk as Buffer
      // Else it would only end where the part does.
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
 * The files of a multipart body in one form field, one after the other as they arrive. All else is ignored.
 * @param maxBytes of one file; longer ones are cut off and say so
 * @throws Problem `request.invalid` for a broken body, `request.too-slow` for one that hardly comes
 */
export async function* uploadedFiles(request: FastifyRequest, maxBytes: number, field: string): AsyncGenerator<UploadedFile> {
  const parts = request.parts({
    limits: {
      fileSize: maxBytes,
      files: InputLimits.filesPerUploadMax,
      fields: InputLimits.uploadFieldsMax,
      fieldSize: InputLimits.uploadFieldMaxBytes,
    },
  })
  let current: MultipartFile | undefined
  const giveUp = Promise.withResolvers<never>()
  // Whoever reads a file learns of it through the file, and nobody may be waiting here.
  giveUp.promise.catch(() => {})
  const watch = request.server.watchUpload(request)
  watch.read(() => {
    const problem = new Problem('request.too-slow')
    giveUp.reject(problem)
    current?.file.destroy(problem)
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
    // A caller that has seen enough leaves the rest of the body unread, which would hold up the client that sends it.
    watch.ignoreRest()
  }
}

/** The problem of a call whose form field holds no file, or empty ones alone. */
export function missingFile(field: string): Problem {
  return new Problem('file.missing', { detail: `The form field "${field}" holds no file, or an empty one.` })
}

/** Held in memory until the call is answered. */
async function readAll(request: FastifyRequest, file: UploadedFile): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of file.content as AsyncIterable<Buffer>) {
    request.server.holdUpload(request, chunk.length)
    chunks.push(chunk)
  }
  if (file.isTooLarge()) throw new Problem('file.too-large')
  return Buffer.concat(chunks)
}

export type UploadedBytes = Readonly<{
  fileName: string
  contentType: string
  bytes: Buffer
}>

/**
 * The file of a call that takes exactly one; other fields of the body are ignored.
 * @param field name of the form field
 * @throws Problem `file.missing` without a file or with an empty one, `file.too-large`, `request.rate-limited` when too much is
 *   held, `request.invalid` for a broken body or a second file
 */
export async function readUpload(request: FastifyRequest, field: string, maxBytes: number): Promise<UploadedBytes> {
  let found: UploadedBytes | undefined
  for await (const file of uploadedFiles(request, maxBytes, field)) {
    if (found) throw new Problem('request.invalid', { detail: 'multipart' })
    found = { fileName: file.fileName, contentType: file.contentType, bytes: await readAll(request, file) }
  }
  if (!found || found.bytes.length === 0) throw missingFile(field)
  return found
}

/**
 * Takes the file of a call that takes exactly one as it arrives, for files that are not held in memory.
 * @param take reads the content to its end
 * @param maxBytes what is longer is cut off there
 * @throws Problem `file.missing` without a file, `request.invalid` for a broken body
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
  throw missingFile(field)
}
