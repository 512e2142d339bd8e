import { Readable } from 'node:stream'
import { Problem } from '@capstan/contract/problems'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'

/** One file of a multipart body, to be read to its end before the next one comes. */
export interface UploadedFile {
  readonly fileName: string
  readonly contentType: string
  readonly content: Readable
  /** True once more than the allowed bytes have arrived; the rest was cut off. */
  isTooLarge(): boolean
}

const maxFields = 20
const maxFiles = 1000

/** A body that cannot be parsed is the sender's mistake; what has a code of its own keeps it. */
const asProblem = (error: unknown): unknown =>
  error instanceof Error && !(error instanceof Problem) && !('code' in error && String(error.code).startsWith('FST_'))
    ? new Problem('request.invalid', { detail: 'multipart' })
    : error

/** Bytes of a part; also when it broke off before anybody listened. */
async function* bytesOf(part: MultipartFile): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of part.file) yield chunk as Buffer
  } catch (error) {
    throw asProblem(error)
  }
}

const present = (part: MultipartFile): UploadedFile => ({
  fileName: part.filename ?? '',
  contentType: part.mimetype,
  content: Readable.from(bytesOf(part)),
  isTooLarge: () => part.file.truncated,
})

/**
 * The files of a multipart body in one form field, one after the other as they arrive. All else is ignored.
 * @param maxBytes of one file; longer ones are cut off and say so
 * @throws Problem `request.invalid` for a broken body
 */
export async function* uploadedFiles(request: FastifyRequest, maxBytes: number, field: string): AsyncGenerator<UploadedFile> {
  const parts = request.parts({
    limits: { fileSize: maxBytes, files: maxFiles, fields: maxFields, fieldSize: 64 * 1024 },
  })
  let isDone = false
  try {
    for (;;) {
      const next = await parts.next().catch((error: unknown) => {
        throw asProblem(error)
      })
      isDone = next.done === true
      if (next.done) return
      if (next.value.type !== 'file') continue
      if (next.value.fieldname === field) yield present(next.value)
      else next.value.file.resume()
    }
  } finally {
    // A caller that has seen enough leaves the rest of the body unread, which would hold up the client that sends it.
    if (!isDone) request.raw.unpipe().resume()
  }
}

const readAll = async (file: UploadedFile): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(file.content, (chunk: Buffer) => chunk))

/** One file as bytes. */
export interface UploadedBytes {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Buffer
}

/**
 * The file of a call that takes exactly one; other fields of the body are ignored.
 * @param field name of the form field
 * @throws Problem `file.missing` without a file or with an empty one, `file.too-large`, `request.invalid` for a broken body or
 *   a second file
 */
export const readUpload = async (request: FastifyRequest, field: string, maxBytes: number): Promise<UploadedBytes> => {
  let found: UploadedBytes | undefined
  let isTooLarge = false
  for await (const file of uploadedFiles(request, maxBytes, field)) {
    if (found) throw new Problem('request.invalid', { detail: 'multipart' })
    found = { fileName: file.fileName, contentType: file.contentType, bytes: await readAll(file) }
    isTooLarge = file.isTooLarge()
  }
  if (isTooLarge) throw new Problem('file.too-large')
  if (!found || found.bytes.length === 0) throw new Problem('file.missing')
  return found
}
