import { instances } from '@capstan/db/schema/instances'
import { eq } from 'drizzle-orm'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { BlobStore } from '../../server/files/blob-store.ts'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aCapture, aChallenge, anInstance, aParticipation } from '../../testing/organizing-factories.ts'
import { type CollectorOptions, type CollectorTimes, createCaptureCollector } from './collector.ts'
import { createCaptureMetrics } from './metrics.ts'
import { createFakeCaptureSource, startFakeRecorder } from './testing/fake-recorder.ts'
import { aPcap } from './testing/pcap.ts'

const times: CollectorTimes = {
  intervalMs: 30,
  leaseMs: 400,
  retryMs: { first: 20, cap: 50, endingCap: 50 },
  visitMs: 30_000,
  resyncMs: 100,
}
const names = ['20300101T000000Z-1.pcap', '20300101T000000Z-1.pcap1', '20300101T000030Z-1.pcap'] as const
/** Time settings with a long lease, so that the lease survives a short pause of the test machine. */
const patient = { times: { ...times, leaseMs: 30_000 } }
const within = { timeout: 120_000, interval: 10 }

let context: TestApp
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  context = await startTestApp()
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})
afterAll(() => context.close())

/** Creates an instance with traffic recording, its recorder, and a fake cluster that lists this recorder. */
async function aRecording() {
  const challenge = await aChallenge(context.db, { type: 'DynamicContainer', capture: true })
  const participation = await aParticipation(context.db, { gameId: challenge.gameId })
  const place = { challengeId: challenge.id, participationId: participation.id }
  const { id } = await anInstance(context.db, { gameId: challenge.gameId, ...place, capture: true })
  const recorder = await startFakeRecorder()
  closers.push(recorder.close)
  const cluster = createFakeCaptureSource()
  cluster.show(id, { recorders: [recorder.address] })
  const folder = `captures/${place.challengeId}/${place.participationId}/${id.slice(0, 8)}-`
  const stored = async () =>
    context.sql`select file_name, size_bytes::int, packets::int from captures where instance_id = ${id} order by file_name`
  const runs = () =>
    context.sql`select run, packets::int, dropped_packets::int, finished_at, lost_at from capture_runs where instance_id = ${id}`
  const blobs = () =>
    [...context.blobs.contents.keys()].filter((key) => key.startsWith(folder)).map((key) => key.slice(folder.length))
  const end = async () => {
    await context.db.update(instances).set({ endedAt: context.clock.now() }).where(eq(instances.id, id))
    cluster.show(id, { isEnding: true })
  }
  return { id, challenge, place, recorder, cluster, stored, runs, blobs, end }
}

type Recording = Awaited<ReturnType<typeof aRecording>>

type Change = CollectorOptions &
  Readonly<{
    blobs?: BlobStore
    captureInstanceMb?: number
  }>

function collect({ cluster }: Pick<Recording, 'cluster'>, change: Change = {}) {
  const { blobs = context.blobs, captureInstanceMb = 0, ...options } = change
  const config = { ...context.deps.config, instances: { ...context.deps.config.instances, captureInstanceMb } }
  const metrics = createCaptureMetrics(new Registry(), context.db)
  const log = { warn: () => {}, info: () => {} }
  const collector = createCaptureCollector(
    { ...context.deps, blobs, config, source: cluster.source, metrics, log },
    { times, ...options },
  )
  const stop = collector.start()
  closers.push(stop)
  return { stop, metrics }
}

describe('the collector', () => {
  test('stores finished segments under unique names, then removes them from the pod', async () => {
    const recording = await aRecording()
    const { recorder, stored, blobs, id } = recording
    for (const [at, name] of names.entries()) recorder.segments.set(name, aPcap([`frame ${at}`]))
    Object.assign(recorder.counters, { packets: 3, droppedPackets: 2 })
    collect(recording)
    await vi.waitFor(() => expect(recorder.segments.size).toBe(0), within)
    const prefix = id.slice(0, 8)
    // The file header has 24 bytes. The frame has a header of 16 bytes and 7 bytes of data.
    expect(await stored()).toEqual(
      ['20300101T000000Z-1-0000', '20300101T000000Z-1-0001', '20300101T000030Z-1-0000'].map((name) => ({
        file_name: `${prefix}-${name}.pcap`,
        size_bytes: 47,
        packets: 1,
      })),
    )
    expect(blobs()).toHaveLength(3)
    expect(await recording.runs()).toMatchObject([{ run: '1', packets: 3, dropped_packets: 2, finished_at: null, lost_at: null }])
    expect(recording.cluster.released).toEqual([])
  })

  test('stops the recording of an ending instance, stores the remaining segments and releases the instance', async () => {
    const recording = await aRecording()
    const { recorder, cluster, id } = recording
    recorder.last.set(names[0], aPcap(['the last frame']))
    await recording.end()
    collect(recording)
    await vi.waitFor(() => expect(cluster.released).toEqual([id]), within)
    expect(recorder.isFinished()).toBe(true)
    expect(await recording.stored()).toHaveLength(1)
    cluster.remove(id)
    const [run] = await recording.runs()
    expect([run?.finished_at !== null, run?.lost_at]).toEqual([true, null])
  })

  test('removes an incomplete last frame from a file, and stores no file without frames', async () => {
    const recording = await aRecording()
    const whole = aPcap(['one', 'two'])
    recording.recorder.segments.set(names[0], whole.subarray(0, whole.length - 2))
    recording.recorder.segments.set(names[2], aPcap(['only']).subarray(0, 30))
    collect(recording)
    await vi.waitFor(() => expect(recording.recorder.segments.size).toBe(0), within)
    expect(await recording.stored()).toMatchObject([{ size_bytes: 43, packets: 1 }])
    expect(recording.blobs()).toHaveLength(1)
    expect(await context.sql`select from capture_arrivals where instance_id = ${recording.id}`).toHaveLength(0)
  })

  test('fetches nothing from a recorder that the cluster does not list', async () => {
    const recording = await aRecording()
    recording.recorder.segments.set(names[0], aPcap(['one']))
    recording.cluster.show(recording.id, { recorders: [] })
    const { stop } = collect(recording)
    await vi.waitFor(async () => {
      expect(await context.sql`select from capture_collections where instance_id = ${recording.id}`).toHaveLength(1)
    }, within)
    await stop()
    expect(recording.recorder.requests).toEqual([])
  })

  test('stops reading from a recorder that never stops sending, and then reads from the other recorders', async () => {
    const [endless, other] = [await aRecording(), await aRecording()]
    endless.recorder.segments.set(names[0], aPcap(['one']))
    endless.recorder.intercept(({ url }, response) => {
      if (url === '/segments') return false
      const timer = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(timer))
      return true
    })
    other.recorder.segments.set(names[0], aPcap(['one']))
    const { cluster } = endless
    cluster.show(other.id, { recorders: [other.recorder.address] })
    collect({ cluster }, { times: { ...times, visitMs: 500 }, parallel: 1 })
    await vi.waitFor(async () => expect(await other.stored()).toHaveLength(1), within)
    expect(await endless.stored()).toEqual([])
  })

  test('drops and counts a file that is not a capture, and stores the next file', async () => {
    const recording = await aRecording()
    recording.recorder.segments.set(names[0], Buffer.from('<html>This is no capture at all</html>'))
    recording.recorder.segments.set(names[2], aPcap(['one']))
    collect(recording)
    await vi.waitFor(() => expect(recording.recorder.segments.size).toBe(0), within)
    expect([await recording.stored(), recording.blobs()]).toMatchObject([[{ packets: 1 }], { length: 1 }])
    expect(
      await context.sql`select refused_files::int, refused_bytes::int from capture_collections where instance_id = ${recording.id}`,
    ).toEqual([{ refused_files: 1, refused_bytes: 38 }])
  })

  test('stores files of an instance up to the maximum total size, and counts the files above the maximum', async () => {
    const recording = await aRecording()
    // Each file has 700 KB, so the total with the second file exceeds 1 MB.
    for (const name of names.slice(0, 2))
      recording.recorder.segments.set(name, aPcap(Array.from({ length: 12 }, () => 'x'.repeat(60_000))))
    collect(recording, { captureInstanceMb: 1 })
    await vi.waitFor(() => expect(recording.recorder.segments.size).toBe(0), within)
    expect(await recording.stored()).toHaveLength(1)
    expect(
      await context.sql`select refused_files::int, refused_bytes::int from capture_collections where instance_id = ${recording.id}`,
    ).toEqual([{ refused_files: 1, refused_bytes: 24 + 12 * 60_016 }])
  })

  test('counts files of earlier instances of the team toward the maximum total size, but not files of other teams', async () => {
    const recording = await aRecording()
    const { challenge, place, recorder } = recording
    const other = await aParticipation(context.db, { gameId: challenge.gameId })
    const earlier = await anInstance(context.db, { gameId: challenge.gameId, ...place, capture: true, endedAt: new Date() })
    // The next file has one frame of 3 bytes, and therefore 43 bytes. Only 20 bytes remain free for it.
    const sizeBytes = 1024 * 1024 - 63
    await aCapture(context.db, { ...place, instanceId: earlier.id, fileName: 'earlier.pcap', sizeBytes })
    await aCapture(context.db, { ...place, participationId: other.id, fileName: 'other.pcap', sizeBytes })
    for (const name of names) recorder.segments.set(name, aPcap(['one']))
    collect(recording, { captureInstanceMb: 1 })
    await vi.waitFor(() => expect(recorder.segments.size).toBe(0), within)
    expect(await recording.stored()).toHaveLength(1)
    expect(
      await context.sql`select refused_files::int, refused_bytes::int from capture_collections where instance_id = ${recording.id}`,
    ).toEqual([{ refused_files: 2, refused_bytes: 86 }])
  })
})

describe('the collector of an instance with several containers', () => {
  async function twoRecorders() {
    const recording = await aRecording()
    const db = await startFakeRecorder()
    closers.push(db.close)
    const recorders = [
      { container: 'page', ...recording.recorder.address },
      { container: 'db', ...db.address },
    ]
    recording.cluster.show(recording.id, { recorders })
    return { ...recording, page: recording.recorder, db, recorders }
  }

  test('stores the files of each recorder under the name of its container', async () => {
    const recording = await twoRecorders()
    const { page, db, id } = recording
    for (const { segments } of [page, db]) segments.set(names[0], aPcap(['one']))
    Object.assign(db.counters, { packets: 7 })
    collect(recording)
    await vi.waitFor(() => expect([page.segments.size, db.segments.size]).toEqual([0, 0]), within)
    const stored = (await recording.stored()).map(({ file_name }) => file_name)
    expect(stored).toEqual(['db', 'page'].map((name) => `${id.slice(0, 8)}-20300101T000000Z-1-0000-${name}.pcap`))
    const runs = (await recording.runs()).map(({ run, packets, lost_at }) => [run, packets, lost_at])
    expect(runs.sort()).toEqual([
      ['db/1', 7, null],
      ['page/1', 0, null],
    ])
  })

  test('releases an ending instance only after the files of all recorders are stored', async () => {
    const recording = await twoRecorders()
    const { page, db, cluster, id } = recording
    for (const { last } of [page, db]) last.set(names[0], aPcap(['the last frame']))
    let refusals = 0
    page.intercept((_request, response) => {
      if (refusals === 3) return false
      refusals += 1
      response.writeHead(500).end()
      return true
    })
    await recording.end()
    collect(recording)
    await vi.waitFor(async () => expect((await recording.stored()).length).toBeGreaterThan(0), within)
    await vi.waitFor(() => expect(cluster.released).toEqual([id]), within)
    expect([page.isFinished(), db.isFinished(), refusals]).toEqual([true, true, 3])
    expect(await recording.stored()).toHaveLength(2)
    expect((await recording.runs()).every(({ finished_at, lost_at }) => finished_at !== null && lost_at === null)).toBe(true)
  })

  test('the collector fetches the files of a recorder even if another recorder does not answer', async () => {
    const recording = await twoRecorders()
    recording.db.segments.set(names[0], aPcap(['one']))
    await recording.page.close()
    collect(recording)
    await vi.waitFor(() => expect(recording.db.segments.size).toBe(0), within)
    expect(await recording.stored()).toHaveLength(1)
  })

  test('the collector records a gap only for the container whose recorder restarts', async () => {
    const recording = await twoRecorders()
    const { db } = recording
    collect(recording)
    await vi.waitFor(async () => expect(await recording.runs()).toHaveLength(2), within)
    Object.assign(db.counters, { run: '2' })
    const lostRuns = async () => (await recording.runs()).filter(({ lost_at }) => lost_at !== null).map(({ run }) => run)
    await vi.waitFor(async () => expect(await lostRuns()).toEqual(['db/1']), within)
    expect(await recording.runs()).toHaveLength(3)
  })
})

describe('the collector after faults', () => {
  /** Returns a blob store that fails at `step` of the first file, as if the process had crashed there. */
  const dyingAt = (step: 'before the bytes' | 'after the bytes'): BlobStore => ({
    ...context.blobs,
    async put(key, content) {
      if (step === 'after the bytes') await context.blobs.put(key, content)
      throw new Error('Died')
    },
  })

  test.each(['before the bytes', 'after the bytes'] as const)(
    'if a process crashes %s of a file are stored, another process continues',
    async (step) => {
      const recording = await aRecording()
      recording.recorder.segments.set(names[0], aPcap(['one']))
      const first = collect(recording, { blobs: dyingAt(step) })
      await vi.waitFor(async () => {
        expect(
          await context.sql`select from capture_collections where failing_since is not null and instance_id = ${recording.id}`,
        ).toHaveLength(1)
      }, within)
      await first.stop()
      collect(recording)
      await vi.waitFor(() => expect(recording.recorder.segments.size).toBe(0), within)
      expect(await recording.stored()).toHaveLength(1)
      expect(recording.blobs()).toHaveLength(1)
      await vi.waitFor(async () => {
        expect(
          await context.sql`select failing_since from capture_collections where collected_at is not null and instance_id = ${recording.id}`,
        ).toEqual([{ failing_since: null }])
      }, within)
    },
  )

  test('if the pod disappears after a crash, the collector saves downloaded files and counts a gap', async () => {
    const recording = await aRecording()
    const { id, recorder, cluster } = recording
    recorder.segments.set(names[0], aPcap(['one']))
    const first = collect(recording, { blobs: dyingAt('after the bytes') })
    await vi.waitFor(() => expect(recording.blobs()).toHaveLength(1), within)
    await first.stop()
    await recording.end()
    cluster.remove(id)
    const { metrics } = collect(recording)
    await vi.waitFor(async () => expect(await recording.stored()).toMatchObject([{ size_bytes: 43, packets: 1 }]), within)
    await vi.waitFor(async () => expect((await recording.runs())[0]?.lost_at).not.toBeNull(), within)
    await vi.waitFor(async () => expect((await metrics.gaps.get()).values).toMatchObject([{ value: 1 }]), within)
  })

  test('stores a file only once even if the recorder fails to remove the segment', async () => {
    const recording = await aRecording()
    const { recorder } = recording
    recorder.segments.set(names[0], aPcap(['one']))
    let failures = 0
    recorder.intercept((request, response) => {
      if (request.method !== 'DELETE' || failures === 3) return false
      failures += 1
      response.writeHead(500).end()
      return true
    })
    collect(recording, patient)
    await vi.waitFor(() => expect(recorder.segments.size).toBe(0), within)
    expect(await recording.stored()).toHaveLength(1)
    expect(recorder.requests.filter((request) => request === `GET /segments/${names[0]}`)).toHaveLength(1)
  })

  test('discards the partial file of an interrupted download, and fetches the segment again', async () => {
    const recording = await aRecording()
    const { recorder } = recording
    const file = aPcap(['one', 'two'])
    recorder.segments.set(names[0], file)
    let broken = 0
    recorder.intercept((request, response) => {
      if (!request.url?.startsWith('/segments/') || request.method !== 'GET' || broken === 2) return false
      broken += 1
      response.writeHead(200, { 'content-length': file.length })
      response.write(file.subarray(0, 30), () => response.destroy())
      return true
    })
    collect(recording)
    await vi.waitFor(() => expect(recorder.segments.size).toBe(0), within)
    expect([broken, await recording.stored()]).toMatchObject([2, [{ size_bytes: file.length, packets: 2 }]])
  })

  test('fetches each file only once if two processes collect at the same time', async () => {
    const recording = await aRecording()
    const { recorder, id } = recording
    for (let minute = 10; minute < 40; minute += 1) recorder.segments.set(`20300101T00${minute}00Z-1.pcap`, aPcap(['frame']))
    collect(recording, patient)
    collect(recording, patient)
    await vi.waitFor(() => expect(recorder.segments.size).toBe(0), within)
    expect(await recording.stored()).toHaveLength(30)
    expect(recorder.requests.filter((request) => request.startsWith('GET /segments/'))).toHaveLength(30)
    await recording.end()
    await vi.waitFor(() => expect(recording.cluster.released).toEqual([id]), within)
  })

  test('a second process continues if the first process hangs and its lease expires', async () => {
    const recording = await aRecording()
    recording.recorder.segments.set(names[0], aPcap(['one']))
    await context.sql`insert into capture_collections (instance_id, holder, leased_until)
      values (${recording.id}, ${crypto.randomUUID()}, now() + interval '300 milliseconds')`
    collect(recording)
    await vi.waitFor(() => expect(recording.recorder.segments.size).toBe(0), within)
    expect(await recording.stored()).toHaveLength(1)
  })
})

describe('the collector of instances whose recorders do not answer', () => {
  /** Returns a running instance that the cluster does not list yet, and eight ending instances whose recorders do not answer. */
  async function manyMute() {
    const recording = await aRecording()
    const { id, recorder, cluster } = recording
    cluster.remove(id)
    recorder.segments.set(names[0], aPcap(['one']))
    const retries = { count: 0, open: 0, maxOpen: 0 }
    for (let count = 0; count < 8; count += 1) {
      const mute = await aRecording()
      await mute.end()
      cluster.show(mute.id, { recorders: [mute.recorder.address], isEnding: true })
      mute.recorder.intercept((_request, response) => {
        // The first request fails at once. All others receive no answer.
        if (mute.recorder.requests.length === 1) response.writeHead(500).end()
        else {
          retries.count += 1
          retries.open += 1
          retries.maxOpen = Math.max(retries.maxOpen, retries.open)
          response.once('close', () => {
            retries.open -= 1
          })
        }
        return true
      })
    }
    return { ...recording, retries, start: () => cluster.show(id, { recorders: [recorder.address] }) }
  }

  test.each([1, 4])(
    'recorders that do not answer cannot block the fetch from a running instance (%i parallel fetches)',
    async (parallel) => {
      const recording = await manyMute()
      collect(recording, { times: { ...patient.times, visitMs: 300 }, parallel })
      await vi.waitFor(() => expect(recording.retries.count).toBeGreaterThan(parallel), within)
      recording.start()
      await vi.waitFor(async () => expect(await recording.stored()).toHaveLength(1), within)
    },
  )

  test('the collector never uses all parallel downloads for recorders that do not answer', async () => {
    const recording = await manyMute()
    collect(recording, { ...patient, parallel: 4 })
    await vi.waitFor(() => expect(recording.retries.open).toBeGreaterThan(1), within)
    recording.start()
    await vi.waitFor(async () => expect(await recording.stored()).toHaveLength(1), within)
    expect(recording.retries.maxOpen).toBeLessThan(4)
  })
})

describe('the collector of incomplete recordings', () => {
  test('records a gap if a recorder restarts, and still stores its finished segments', async () => {
    const recording = await aRecording()
    const { recorder } = recording
    collect(recording)
    await vi.waitFor(async () => expect(await recording.runs()).toHaveLength(1), within)
    Object.assign(recorder.counters, { run: '2', packets: 0 })
    recorder.segments.set(names[0], aPcap(['of the first run']))
    await vi.waitFor(async () => expect(await recording.stored()).toHaveLength(1), within)
    const runs = await recording.runs()
    expect(runs.map(({ run, lost_at }) => [run, lost_at === null]).sort()).toEqual([
      ['1', false],
      ['2', true],
    ])
  })

  test('records a gap if an instance accepted connections but had no recorder', async () => {
    const recording = await aRecording()
    recording.cluster.remove(recording.id)
    await recording.end()
    recording.cluster.remove(recording.id)
    collect(recording)
    await vi.waitFor(async () => expect(await recording.runs()).toMatchObject([{ run: 'none', packets: 0 }]), within)
  })
})

test('releases the instance of a deleted game at once, and stores none of its files', async () => {
  const recording = await aRecording()
  recording.recorder.segments.set(names[0], aPcap(['one']))
  await context.sql`delete from games where id = ${recording.challenge.gameId}`
  recording.cluster.show(recording.id, { isEnding: true })
  collect(recording)
  await vi.waitFor(() => expect(recording.cluster.released).toEqual([recording.id]), within)
  expect(recording.blobs()).toEqual([])
})
