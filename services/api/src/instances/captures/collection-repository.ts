import type { Database, Executor } from '@capstan/db/client'
import { captureArrivals, captureCollections, captureRuns, captures, instances } from '@capstan/db/schema/instances'
import { and, eq, inArray, isNotNull, isNull, like, lt, ne, notInArray, notLike, or, sql } from 'drizzle-orm'
import type { PcapCount } from './pcap.ts'
import type { RecorderReport } from './recorder.ts'

/** Instance whose traffic is recorded. The capture files are stored by challenge and participation. */
export type CapturedInstance = Readonly<{
  id: string
  challengeId: number
  participationId: number
}>

/** Placeholder for the run name of a recorder that never reported. */
const unrecordedRun = 'none'

/**
 * Returns the name under which a run is stored. If the instance has several containers, the name includes the container, because
 * two recorders may choose the same run name.
 */
export function storedNameOfCaptureRun(run: string, container: string | undefined): string {
  return container === undefined ? run : `${container}/${run}`
}

/**
 * SQL condition for the runs that the recorder of one container has recorded. The pattern needs no escaping, because
 * names of containers contain no special characters.
 */
function runsOf(container: string | undefined) {
  return container === undefined ? notLike(captureRuns.run, '%/%') : like(captureRuns.run, storedNameOfCaptureRun('%', container))
}

const expired = lt(captureCollections.leasedUntil, sql`now()`)

export function createCollectionRepository(db: Executor) {
  return {
    /** @returns undefined if the platform does not know the instance */
    async findInstance(id: string): Promise<CapturedInstance | undefined> {
      const [row] = await db
        .select({ id: instances.id, challengeId: instances.challengeId, participationId: instances.participationId })
        .from(instances)
        .where(eq(instances.id, id))
      return row && row.participationId !== null ? { ...row, participationId: row.participationId } : undefined
    },
    /**
     * Takes or renews the lease on the recordings of an instance. The database's clock determines when the lease expires.
     * @returns true if `holder` now has the lease; false also for an unknown instance
     */
    async lease(id: string, holder: string, forMs: number): Promise<boolean> {
      const until = sql`now() + ${forMs} * interval '1 millisecond'`
      const granted = await db.execute(sql`
      insert into ${captureCollections} (instance_id, holder, leased_until)
      select id, ${holder}::uuid, ${until} from ${instances} where id = ${id}::uuid
      on conflict (instance_id) do update set holder = excluded.holder, leased_until = excluded.leased_until
      where ${or(eq(captureCollections.holder, holder), expired)}
      returning holder`)
      return granted.length > 0
    },
    /** Releases all leases of a process, so that other processes can take over at once. */
    async endLeases(holder: string): Promise<void> {
      await db.update(captureCollections).set({ leasedUntil: sql`now()` }).where(eq(captureCollections.holder, holder))
    },
    async noteRun(id: string, report: RecorderReport, now: Date): Promise<void> {
      const { run, packets, droppedPackets, lostSegments: lostFiles, lostBytes } = report
      await db
        .insert(captureRuns)
        .values({ instanceId: id, run, packets, droppedPackets, lostFiles, lostBytes, seenAt: now })
        .onConflictDoUpdate({
          target: [captureRuns.instanceId, captureRuns.run],
          set: {
            packets: sql`greatest(${captureRuns.packets}, excluded.packets)`,
            droppedPackets: sql`greatest(${captureRuns.droppedPackets}, excluded.dropped_packets)`,
            lostFiles: sql`greatest(${captureRuns.lostFiles}, excluded.lost_files)`,
            lostBytes: sql`greatest(${captureRuns.lostBytes}, excluded.lost_bytes)`,
            seenAt: sql`greatest(${captureRuns.seenAt}, excluded.seen_at)`,
          },
        })
    },
    /** Marks a run as complete. Call this after its recording has ended properly and all its files are stored. */
    async finishRun(id: string, run: string, now: Date): Promise<void> {
      await db
        .update(captureRuns)
        .set({ finishedAt: now, lostAt: null })
        .where(and(eq(captureRuns.instanceId, id), eq(captureRuns.run, run), isNull(captureRuns.finishedAt)))
    },
    /**
     * Records a gap for every run whose recording disappeared before it ended properly.
     * @param only limits the check to the runs of `container`, except the current run `exceptRun`. If absent, all runs of the
     * instance are checked
     * @returns the number of new gaps
     */
    async loseRuns(
      id: string,
      now: Date,
      only?: Readonly<{ container: string | undefined; exceptRun: string }>,
    ): Promise<number> {
      const lost = await db
        .update(captureRuns)
        .set({ lostAt: now })
        .where(
          and(
            eq(captureRuns.instanceId, id),
            isNull(captureRuns.finishedAt),
            isNull(captureRuns.lostAt),
            only && and(runsOf(only.container), ne(captureRuns.run, only.exceptRun)),
          ),
        )
        .returning({ run: captureRuns.run })
      return lost.length
    },
    /**
     * Records one gap for an instance that accepted connections but whose recorder never reported.
     * @returns true if the gap is new
     */
    async noteUnrecorded(id: string, now: Date): Promise<boolean> {
      const noted = await db.execute(sql`
      insert into ${captureRuns} (instance_id, run, packets, dropped_packets, lost_files, lost_bytes, seen_at, lost_at)
      select id, ${unrecordedRun}, 0, 0, 0, 0, started_at, ${now.toISOString()}::timestamptz from ${instances}
      where id = ${id}::uuid and host is not null
        and not exists (select from ${captureRuns} where instance_id = ${id}::uuid)
      on conflict do nothing returning run`)
      return noted.length > 0
    },
    /** Records that the platform has stored all files of the instance that were complete at `now`. */
    async noteCollected(id: string, now: Date): Promise<void> {
      await db
        .update(captureCollections)
        .set({ collectedAt: now, failingSince: null })
        .where(eq(captureCollections.instanceId, id))
    },
    async noteFailure(id: string, now: Date): Promise<void> {
      await db
        .update(captureCollections)
        .set({ failingSince: now })
        .where(and(eq(captureCollections.instanceId, id), isNull(captureCollections.failingSince)))
    },
    /** Counts a dropped file. A file is dropped if it is invalid or if the team's files have reached their maximum total size. */
    async noteRefused(id: string, bytes: number): Promise<void> {
      await db
        .update(captureCollections)
        .set({
          refusedFiles: sql`${captureCollections.refusedFiles} + 1`,
          refusedBytes: sql`${captureCollections.refusedBytes} + ${bytes}`,
        })
        .where(eq(captureCollections.instanceId, id))
    },
    /**
     * Returns the total size of the team's stored files of the challenge, in bytes. The size includes files of earlier instances.
     */
    async storedBytes({ challengeId, participationId }: CapturedInstance): Promise<number> {
      const [row] = await db
        .select({ bytes: sql<string>`coalesce(sum(${captures.sizeBytes}), 0)` })
        .from(captures)
        .where(and(eq(captures.challengeId, challengeId), eq(captures.participationId, participationId)))
      return Number(row?.bytes ?? 0)
    },
    async hasStored(id: string, fileName: string): Promise<boolean> {
      const rows = await db
        .select({ id: captures.id })
        .from(captures)
        .where(and(eq(captures.instanceId, id), eq(captures.fileName, fileName)))
      return rows.length > 0
    },
    async noteArrival(id: string, fileName: string): Promise<void> {
      await db.execute(sql`
      insert into ${captureArrivals} (instance_id, file_name)
      select id, ${fileName} from ${instances} where id = ${id}::uuid on conflict do nothing`)
    },
    async listArrivals(id: string): Promise<string[]> {
      const rows = await db
        .select({ fileName: captureArrivals.fileName })
        .from(captureArrivals)
        .where(eq(captureArrivals.instanceId, id))
      return rows.map(({ fileName }) => fileName)
    },
    async forgetArrival(id: string, fileName: string): Promise<void> {
      await db.delete(captureArrivals).where(and(eq(captureArrivals.instanceId, id), eq(captureArrivals.fileName, fileName)))
    },
    /** Returns the ended instances whose recordings the collector has not yet fetched completely. */
    async listUncollected(): Promise<string[]> {
      const runs = db
        .select({ id: captureRuns.instanceId })
        .from(captureRuns)
        .where(and(isNull(captureRuns.finishedAt), isNull(captureRuns.lostAt)))
      const seen = db.select({ id: captureRuns.instanceId }).from(captureRuns)
      const arrivals = db.select({ id: captureArrivals.instanceId }).from(captureArrivals)
      const rows = await db
        .select({ id: instances.id })
        .from(instances)
        .where(
          and(
            eq(instances.capture, true),
            isNotNull(instances.endedAt),
            or(
              inArray(instances.id, runs),
              inArray(instances.id, arrivals),
              and(isNotNull(instances.host), notInArray(instances.id, seen)),
            ),
          ),
        )
      return rows.map(({ id }) => id)
    },
  }
}

/**
 * Makes a stored file visible to monitors. Repeated calls have no effect.
 * @returns false if the instance was deleted and the file must be deleted too
 */
export function storeCapture(
  db: Database,
  instance: CapturedInstance,
  file: PcapCount & { readonly fileName: string },
  now: Date,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const [known] = await transaction
      .select({ id: instances.id })
      .from(instances)
      .where(eq(instances.id, instance.id))
      .for('key share')
    if (!known) return false
    const { id: instanceId, challengeId, participationId } = instance
    const { fileName, bytes: sizeBytes, packets } = file
    await transaction
      .insert(captures)
      .values({ instanceId, challengeId, participationId, fileName, sizeBytes, packets, updatedAt: now })
      .onConflictDoNothing()
    await createCollectionRepository(transaction).forgetArrival(instanceId, fileName)
    return true
  })
}
