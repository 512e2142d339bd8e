import { pipeline } from 'node:stream/promises'
import { blobKeys } from '../../server/files/blob-keys.ts'
import type { InstanceDeps } from '../deps.ts'
import type { CaptureSource, ObservedCapture } from '../lifecycle/runtime.ts'
import { type CapturedInstance, collectionRepository, storeCapture } from './collection-repository.ts'
import type { CaptureMetrics } from './metrics.ts'
import { NotACaptureError, type PcapCount, PcapFilter } from './pcap.ts'
import { connectRecorder, type Recorder, type RecorderReport } from './recorder.ts'
import { captureFileName, type Segment } from './segment.ts'

/**
 * Tolerance above the size limit of a segment, because the recorder checks the size after each frame and defines a megabyte
 * differently.
 */
const segmentSlackBytes = 1024 * 1024
const megabyte = 1024 * 1024

export type CollectDeps = Pick<InstanceDeps, 'db' | 'blobs' | 'clock' | 'config'> &
  Readonly<{
    source: CaptureSource
    metrics: CaptureMetrics
  }>

export function createCollect({ db, blobs, clock, config, source, metrics }: CollectDeps) {
  const repository = collectionRepository(db)
  const { captureLimits, captureInstanceMb } = config.instances
  const maxSegmentBytes = captureLimits.maxSegmentMb * megabyte + segmentSlackBytes
  const maxInstanceBytes = captureInstanceMb === 0 ? Number.POSITIVE_INFINITY : captureInstanceMb * megabyte

  const keyOf = ({ challengeId, participationId }: CapturedInstance, fileName: string): string =>
    blobKeys.capture(challengeId, participationId, fileName)

  /**
   * Inserts the row of a file in the blob store. If the file has no frame or its instance was deleted, the file is deleted
   * instead.
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
    recorder: Recorder,
    instance: CapturedInstance,
    { name }: Segment,
    signal: AbortSignal,
  ): Promise<PcapCount> => {
    const key = keyOf(instance, captureFileName(instance.id, name))
    const filter = new PcapFilter({ maxBytes: maxSegmentBytes })
    const body = await recorder.open(name)
    const [read, written] = await Promise.allSettled([pipeline(body, filter, { signal }), blobs.put(key, filter)])
    // A failed read also fails the write. The error of the read names the cause.
    if (read.status === 'rejected') throw read.reason
    if (written.status === 'rejected') throw written.reason
    return filter.count
  }

  /** Counts a segment that is not stored, and removes it from the pod. */
  const giveUp = async (recorder: Recorder, instance: CapturedInstance, { name, bytes }: Segment): Promise<void> => {
    await repository.noteRefused(instance.id, bytes)
    await recorder.remove(name)
  }

  /**
   * Announces the file in `captureArrivals`, stores the bytes and the row, then removes the recorder's copy. After a crash at any
   * point, the next process can continue. It finds the segment in the pod, or the announced file and a complete blob.
   */
  const storeSegment = async (
    recorder: Recorder,
    instance: CapturedInstance,
    segment: Segment,
    signal: AbortSignal,
  ): Promise<void> => {
    const fileName = captureFileName(instance.id, segment.name)
    if (!(await repository.hasStored(instance.id, fileName))) {
      await repository.noteArrival(instance.id, fileName)
      try {
        await storeRow(instance, fileName, await fetchSegment(recorder, instance, segment, signal))
      } catch (error) {
        if (!(error instanceof NotACaptureError)) throw error
        // A retry cannot help, and an invalid segment must not block the others.
        await repository.forgetArrival(instance.id, fileName)
        return giveUp(recorder, instance, segment)
      }
    }
    await recorder.remove(segment.name)
  }

  const storeSegments = async (
    recorder: Recorder,
    instance: CapturedInstance,
    segments: readonly Segment[],
    signal: AbortSignal,
  ): Promise<void> => {
    if (segments.length === 0) return
    let leftBytes = maxInstanceBytes - (await repository.storedBytes(instance.id))
    for (const segment of segments) {
      signal.throwIfAborted()
      leftBytes -= segment.bytes
      if (leftBytes < 0) await giveUp(recorder, instance, segment)
      else await storeSegment(recorder, instance, segment, signal)
    }
  }

  /** Inserts rows for blobs whose recorder's copy is already removed. A crashed process left these blobs without rows. */
  const storeArrivals = async (instance: CapturedInstance): Promise<void> => {
    for (const fileName of await repository.listArrivals(instance.id)) {
      const key = keyOf(instance, fileName)
      // The store has either the complete blob or none.
      if (await blobs.exists(key)) await storeRow(instance, fileName, await countPackets(await blobs.get(key)))
      else await repository.forgetArrival(instance.id, fileName)
    }
  }

  const countPackets = async (content: NodeJS.ReadableStream): Promise<PcapCount> => {
    const filter = new PcapFilter({ maxBytes: Number.POSITIVE_INFINITY })
    await pipeline(content, filter.resume())
    return filter.count
  }

  const takeReport = async (instance: CapturedInstance, report: RecorderReport): Promise<void> => {
    const now = clock.now()
    await repository.noteRun(instance.id, report, now)
    metrics.gaps.inc(await repository.loseRuns(instance.id, now, report.run))
  }

  return {
    /**
     * Fetches all finished segments. If the instance is ending, it fetches all segments and then releases the instance.
     * @throws if a segment remains
     */
    async visit(instance: CapturedInstance, observed: ObservedCapture, signal: AbortSignal): Promise<void> {
      if (!observed.address) return
      const startedAt = clock.now()
      const recorder = connectRecorder(observed.address, signal)
      const report = await (observed.isEnding ? recorder.finish() : recorder.report())
      await takeReport(instance, report)
      await storeSegments(recorder, instance, report.segments, signal)
      await storeArrivals(instance)
      if (report.finished) await repository.finishRun(instance.id, report.run, clock.now())
      await repository.noteCollected(instance.id, startedAt)
      if (observed.isEnding) await source.release(instance.id, clock.now())
    },
    /**
     * Completes the recording of a removed recorder: inserts rows for received files, and records the runs that were lost.
     */
    async conclude(instance: CapturedInstance): Promise<void> {
      await storeArrivals(instance)
      const now = clock.now()
      metrics.gaps.inc(
        (await repository.loseRuns(instance.id, now)) + ((await repository.noteUnrecorded(instance.id, now)) ? 1 : 0),
      )
    },
  }
}
