import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { sendArchive } from '../../server/http/archive.ts'
import { formatAttachmentDisposition } from '../../server/http/content-disposition.ts'
import { formatArchiveTimestamp } from '../../server/http/timestamps.ts'
import { costlyDownload } from '../../server/plugins/operations.ts'
import { getCaptureHealth } from './health.ts'
import {
  deleteCapture,
  deleteCaptures,
  describeCaptureFolder,
  listArchiveEntriesOfCaptures,
  listCapturedChallenges,
  listCapturedTeams,
  listCaptures,
  listCapturesWithPacketCounts,
  mergeCaptures,
  openCapture,
} from './service.ts'

function folderOf({ cid, pid }: { cid: number; pid: number }) {
  return { challengeId: cid, participationId: pid }
}

function baseNameOf({ cid, pid }: { cid: number; pid: number }, now: Date): string {
  return `Capture-${cid}-${pid}-${formatArchiveTimestamp(now)}`
}

const downloadHeaders = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' }

/** HTTP routes for recordings of instance traffic. Rules: docs/contract/captures-and-monitor.md#captures. */
export const captureRoutes: FastifyPluginAsync = async (app) => {
  const { clock } = app.deps

  app.operation(operations.listCapturedChallenges, async ({ params }) => listCapturedChallenges(app.deps, params.id))

  app.operation(ownOperations.getCaptureHealth, async ({ params }) => getCaptureHealth(app.deps, params.id))

  app.operation(operations.listCapturedTeams, async ({ params }) => listCapturedTeams(app.deps, params.cid))

  app.operation(operations.listCaptures, async ({ params }) => listCaptures(app.deps, folderOf(params)))

  app.operation(ownOperations.listCountedCaptures, async ({ params }) => listCapturesWithPacketCounts(app.deps, folderOf(params)))

  app.operation(
    operations.downloadCaptures,
    async ({ params, reply }) =>
      sendArchive(reply, baseNameOf(params, clock.now()), await listArchiveEntriesOfCaptures(app.deps, folderOf(params))),
    costlyDownload,
  )

  app.operation(ownOperations.downloadMergedCaptures, async ({ params, query: { container }, reply }) => {
    const content = await mergeCaptures(app.deps, folderOf(params), container)
    const parts = [baseNameOf(params, clock.now()), ...(container === undefined ? [] : [container])]
    return reply
      .headers({ ...downloadHeaders, 'content-disposition': formatAttachmentDisposition(`${parts.join('-')}.pcapng`) })
      .type('application/octet-stream')
      .send(content)
  })

  app.operation(operations.deleteCaptures, async ({ params, record }) => {
    await deleteCaptures(app.deps, folderOf(params))
    record(`Deleted the captures of ${await describeCaptureFolder(app.deps, folderOf(params))}`)
  })

  app.operation(operations.downloadCapture, async ({ params, reply }) => {
    const { sizeBytes, content } = await openCapture(app.deps, folderOf(params), params.file)
    return reply
      .headers({
        ...downloadHeaders,
        'content-disposition': formatAttachmentDisposition(params.file),
        'content-length': sizeBytes,
      })
      .type('application/octet-stream')
      .send(content)
  })

  app.operation(operations.deleteCapture, async ({ params, record }) => {
    await deleteCapture(app.deps, folderOf(params), params.file)
    record(`Deleted a capture of ${await describeCaptureFolder(app.deps, folderOf(params))}`)
  })
}
