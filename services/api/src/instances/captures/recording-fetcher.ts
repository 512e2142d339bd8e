import { pipeline } from 'node:stream/promises'
import { blobKeys } from '../../server/files/blob-keys.ts'
import type { InstanceDeps } from '../deps.ts'
import type { CaptureSource, ObservedCapture, ObservedRecorder } from '../lifecycle/runtime.ts'
import {
  type CapturedInstance,
  createCollectionRepository,
  storeCapture,
  storedNameOfCaptureRun,
} from './collection-repository.ts'
import type { CaptureMetrics } from './metrics.ts'
import { NotACaptureError, type PcapCount, PcapFilter } from './pcap.ts'
import { connectRecorder, type Recorder, type RecorderReport } from './recorder.ts'
import { fileNameOfSegment, type Segment } from './segment.ts'

/**
 * Tolerance above the size limit of a segment, in bytes. Recorders of earlier versions check the limit only after each frame, and
 * round it to decimal megabytes.
 */
const segmentSlackBytes = 1024 * 1024
const megabyte = 1024 * 1024

export type RecordingFetcherDeps = Pick<InstanceDeps, 'db' | 'blobs' | 'clock' | 'config'> &
  Readonly<{
    source: CaptureSource
    metrics: CaptureMetrics
  }>

/** Container from which recordings are fetched. */
type CapturedContainer = Readonly<{
  instance: CapturedInstance
  /** Name of the container. Absent if the instance has only one container. */
  container: string | undefined
  recorder: Recorder
}>

export function createRecordingFetcher({ db, blobs, clock, config, source, metrics }: RecordingFetcherDeps) {
  const repository = createCollectionRepository(db)
  const { captureLimits, captureInstanceMb } = config.instances
  const maxSegmentBytes = captureLimits.maxSegmentMb * megabyte + segmentSlackBytes
  /**
   * Maximum total size of a team's files of one challenge. The files of all instances count, so that a restarted instance gets no
   * new quota.
   */
  const maxTeamBytes = captureInstanceMb === 0 ? Number.POSITIVE_INFINITY : captureInstanceMb * megabyte

  const keyOf = ({ challengeId, participationId }: CapturedInstance, fileName: string): string =>
    blobKeys.capture(challengeId, participationId, fileName)

  /**
   * Inserts the row for a file that the blob store contains. If the file has no frame, or the instance was deleted, the file is
   * deleted instead.
   */
  const storeRow = async (instance: CapturedInstance, fileName: string, count: PcapCount): Promise<void> => {
    if (count.packets > 0 && (await storeCapture(db, instance, { fileName, ...count }, clock.now()))) {
      metrics.storedFiles.inc()
      metrics.storedBytes.inc(count.bytes)
      return
    }
    await blobs.delete(keyOf(instance, fileName))
    await repository.forgetArrival(instance.id, fileName)
  }

  /** Streams one segment into the blob store. */
  const fetchSegment = async (
    { recorder, instance, container }: CapturedContainer,
    { name }: Segment,
    signal: AbortSignal,
  ): Promise<PcapCount> => {
    const key = keyOf(instance, fileNameOfSegment(instance.id, name, container))
    const filter = new PcapFilter({ maxBytes: maxSegmentBytes })
    const body = await recorder.open(name)
    const [read, written] = await Promise.allSettled([pipeline(body, filter, { signal }), blobs.put(key, filter)])
    // If the read fails, the write fails too. Only the error of the read contains the cause.
    if (read.status === 'rejected') throw read.reason
    if (written.status === 'rejected') throw written.reason
    return filter.count
  }

  const discardSegment = async ({ recorder, instance }: CapturedContainer, { name, bytes }: Segment): Promise<void> => {
    await repository.noteRefused(instance.id, bytes)
    await recorder.remove(name)
  }

  /** Moves one segment of a recording from the pod to the blob store. */
  const storeSegment = async (source: CapturedContainer, segment: Segment, signal: AbortSignal): Promise<void> => {
    const { recorder, instance, container } = source
    const fileName = fileNameOfSegment(instance.id, segment.name, container)
    if (!(await repository.hasStored(instance.id, fileName))) {
      if ((await repository.storedBytes(instance)) + segment.bytes > maxTeamBytes) return discardSegment(source, segment)
      await repository.noteArrival(instance.id, fileName)
      try {
        await storeRow(instance, fileName, await fetchSegment(source, segment, signal))
      } catch (error) {
        if (!(error instanceof NotACaptureError)) throw error
        // A retry cannot help. Drop the invalid segment, so that it does not block later segments.
        await repository.forgetArrival(instance.id, fileName)
        return discardSegment(source, segment)
      }
    }
    await recorder.remove(segment.name)
  }

  const storeSegments = async (source: CapturedContainer, segments: readonly Segment[], signal: AbortSignal): Promise<void> => {
    for (const segment of segments) {
      signal.throwIfAborted()
      await storeSegment(source, segment, signal)
    }
  }

  /**
   * Inserts the missing rows of blobs that a crashed process stored. The recorder may have removed its copies of the files
   * already.
   */
  const storeArrivals = async (instance: CapturedInstance): Promise<void> => {
    for (const fileName of await repository.listArrivals(instance.id)) {
      const key = keyOf(instance, fileName)
      // A blob is never partial: the store has either the complete blob or none.
      if (await blobs.exists(key)) await storeRow(instance, fileName, await countPackets(await blobs.get(key)))
      else await repository.forgetArrival(instance.id, fileName)
    }
  }

  const countPackets = async (content: NodeJS.ReadableStream): Promise<PcapCount> => {
    const filter = new PcapFilter({ maxBytes: Number.POSITIVE_INFINITY })
    await pipeline(content, filter.resume())
    return filter.count
  }

  const takeReport = async ({ instance, container }: CapturedContainer, report: RecorderReport): Promise<void> => {
    const now = clock.now()
    await repository.noteRun(instance.id, report, now)
    metrics.gaps.inc(await repository.loseRuns(instance.id, now, { container, exceptRun: report.run }))
  }

  /**
   * Fetches all finished segments of one recorder. For an ending instance, ends the recording first, so that all segments are
   * finished.
   */
  const visitRecorder = async (
    instance: CapturedInstance,
    { container, host, port }: ObservedRecorder,
    { isEnding, signal }: { isEnding: boolean; signal: AbortSignal },
  ): Promise<void> => {
    const recorder = connectRecorder({ host, port }, signal)
    const visited = { instance, container, recorder }
    const answer = await (isEnding ? recorder.finish() : recorder.report())
    const report = { ...answer, run: storedNameOfCaptureRun(answer.run, container) }
    await takeReport(visited, report)
    await storeSegments(visited, report.segments, signal)
    if (report.finished) await repository.finishRun(instance.id, report.run, clock.now())
  }

  return {
    /**
     * Fetches all finished segments of an instance. If the instance is ending, ends its recordings first, and releases the
     * instance afterwards.
     * @throws if a segment could not be fetched
     */
    async visit(instance: CapturedInstance, { recorders, isEnding }: ObservedCapture, signal: AbortSignal): Promise<void> {
      const startedAt = clock.now()
      const failures: unknown[] = []
      // If one recorder fails, still fetch the files of the other recorders.
      for (const recorder of recorders)
        await visitRecorder(instance, recorder, { isEnding, signal }).catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw failures[0]
      await storeArrivals(instance)
      await repository.noteCollected(instance.id, startedAt)
      if (isEnding) await source.release(instance.id, clock.now())
    },
    /** Completes the recording after a recorder was removed: inserts rows for received files, and records gaps for lost runs. */
    async conclude(instance: CapturedInstance): Promise<void> {
      await storeArrivals(instance)
      const now = clock.now()
      metrics.gaps.inc(
        (await repository.loseRuns(instance.id, now)) + ((await repository.noteUnrecorded(instance.id, now)) ? 1 : 0),
      )
    },
  }
}
