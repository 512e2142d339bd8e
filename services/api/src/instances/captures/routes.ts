import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { sendArchive } from '../../server/http/archive.ts'
import { attachmentDisposition } from '../../server/http/content-disposition.ts'
import { archiveStamp } from '../../server/http/timestamps.ts'
import { createCaptureHealthService } from './health.ts'
import { createCaptureService } from './service.ts'

function folderOf({ cid, pid }: { cid: number; pid: number }) {
  return { challengeId: cid, participationId: pid }
}

/** Captures of instance traffic, for monitors. Rules: docs/contract/captures-and-monitor.md#captures. */
export const captureRoutes: FastifyPluginAsync = async (app) => {
  const { clock } = app.deps
  const captures = createCaptureService(app.deps)
  const health = createCaptureHealthService(app.deps)

  app.operation(operations.listCapturedChallenges, async ({ params }) => captures.listChallenges(params.id))

  app.operation(ownOperations.getCaptureHealth, async ({ params }) => health.get(params.id))

  app.operation(operations.listCapturedTeams, async ({ params }) => captures.listTeams(params.cid))

  app.operation(operations.listCaptures, async ({ params }) => captures.list(folderOf(params)))

  app.operation(ownOperations.listCountedCaptures, async ({ params }) => captures.listCounted(folderOf(params)))

  app.operation(operations.downloadCaptures, async ({ params, reply }) => {
    const baseName = `Capture-${params.cid}-${params.pid}-${archiveStamp(clock.now())}`
    return sendArchive(reply, baseName, await captures.listEntries(folderOf(params)))
  })

  app.operation(operations.deleteCaptures, async ({ params, record }) => {
    await captures.deleteAll(folderOf(params))
    record(`Deleted the captures of ${await captures.describe(folderOf(params))}`)
  })

  app.operation(operations.downloadCapture, async ({ params, reply }) => {
    const { sizeBytes, content } = await captures.open(folderOf(params), params.file)
    return reply
      .headers({
        'content-disposition': attachmentDisposition(params.file),
        'content-length': sizeBytes,
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      })
      .type('application/octet-stream')
      .send(content)
  })

  app.operation(operations.deleteCapture, async ({ params, record }) => {
    await captures.delete(folderOf(params), params.file)
    record(`Deleted a capture of ${await captures.describe(folderOf(params))}`)
  })
}
