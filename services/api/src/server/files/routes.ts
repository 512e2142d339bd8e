import { InputLimits, PageLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { serveFile } from './serve.ts'
import { deleteFile, listFiles, storeUploads } from './service.ts'
import { toMissingFileProblem, uploadedFiles } from './uploads.ts'

/** Upload, list, delete and download of stored files. Rules: docs/contract/files.md. */
export const fileRoutes: FastifyPluginAsync = async (app) => {
  const { config } = app.deps

  app.operation(operations.uploadFiles, async ({ query, record, request }) => {
    const { field } = operations.uploadFiles.upload
    const uploads = uploadedFiles(request, config.maxAttachmentBytes, field, InputLimits.maxFilesPerUpload)
    const stored = await storeUploads(app.deps, uploads, query.filename?.trim() || undefined)
    if (stored.length === 0) throw toMissingFileProblem(field)
    // Only the hash is logged, because names of dynamic attachments may contain flags.
    const [first] = stored
    record(first && stored.length === 1 ? `Uploaded the file ${first.hash}` : `Uploaded ${stored.length} files`)
    return stored.map(({ hash, name }) => ({ hash, name }))
  })

  app.operation(operations.deleteFile, async ({ params, record }) => {
    await deleteFile(app.deps, params.id)
    record(`Deleted the file ${params.id}`)
  })

  app.operation(operations.getFile, async ({ params, request, reply }) => serveFile(app.deps, params, request, reply))

  app.operation(operations.listFiles, async ({ query }) => {
    const { rows, total } = await listFiles(app.deps, { count: query.count ?? PageLimits.short, skip: query.skip ?? 0 })
    return { data: rows.map(({ hash, name }) => ({ hash, name })), length: rows.length, total }
  })
}
