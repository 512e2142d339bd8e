import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { drainedAnnotation, instanceIdLabel } from '@capstan/challenge-instance/labels'
import { deriveInstanceName } from '@capstan/challenge-instance/names'
import { createKubeClient } from '@capstan/kubernetes/client'
import { afterEach, expect, test } from 'vitest'
import { createInstanceWatch } from './instance-watch.ts'

const closers: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const

function anObject(id: string, version: number, expiresAt = '2030-01-01T00:00:00.000Z') {
  return {
    metadata: {
      name: deriveInstanceName(id),
      namespace: 'play',
      uid: `uid-${id}`,
      resourceVersion: String(version),
      labels: { [instanceIdLabel]: id },
    },
    spec: { expiresAt },
  } as unknown as ChallengeInstance
}

/** Starts a fake API server that returns the given lists. Its watches stay open, so that the test can write to them. */
async function startServer() {
  const state = { objects: [] as object[], version: 10, lists: 0, pages: 1, watchAnswer: 200, refused: 0 }
  const watches: { response: ServerResponse; version: string | null }[] = []
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://server')
    response.setHeader('content-type', 'application/json')
    if (searchParams.has('watch')) {
      if (state.watchAnswer !== 200) {
        state.refused += 1
        response.writeHead(state.watchAnswer).end(JSON.stringify({ message: 'No' }))
        return
      }
      response.writeHead(200)
      response.flushHeaders()
      watches.push({ response, version: searchParams.get('resourceVersion') })
      return
    }
    state.lists += 1
    const page = Number(searchParams.get('continue') ?? 0)
    const size = Math.ceil(state.objects.length / state.pages)
    const next = page + 1 < state.pages ? String(page + 1) : undefined
    response.end(
      JSON.stringify({
        items: state.objects.slice(page * size, (page + 1) * size),
        metadata: { resourceVersion: String(state.version), ...(next !== undefined && { continue: next }) },
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const say = async (line: object) => {
    await expect.poll(() => watches.length, { message: 'a watch is open' }).toBeGreaterThan(0)
    watches.at(-1)!.response.write(`${JSON.stringify(line)}\n`)
  }
  return { state, watches, say, url: new URL(`http://127.0.0.1:${port}`) }
}

async function startWatch(options: { silenceMs?: number } = {}) {
  const server = await startServer()
  const client = createKubeClient({ server: server.url, requestOptions: async () => ({}) }, { userAgent: 'tests' })
  const watch = createInstanceWatch({
    client,
    namespace: 'play',
    log: { warn: () => {} },
    backoff: { firstMs: 5, capMs: 20 },
    ...options,
  })
  closers.push(async () => {
    await watch.close()
    client.close()
  })
  return { ...server, watch }
}

test('a view returns undefined before the first complete list, and all objects after it', async () => {
  const { state, watch } = await startWatch()
  expect(watch.list()).toBeUndefined()
  state.objects = [anObject(ids[0], 5)]
  await expect.poll(() => watch.list()).toBeDefined()
})

test('the watch reads all pages of a list', async () => {
  const { state, watch } = await startWatch()
  Object.assign(state, { objects: [anObject(ids[0], 5), anObject(ids[1], 6)], pages: 2 })
  await expect.poll(() => watch.list()?.length).toBe(2)
})

test('the watch applies and reports each event', async () => {
  const { say, watch } = await startWatch()
  const heard: string[] = []
  watch.listen((id) => heard.push(id))
  await say({ type: 'ADDED', object: anObject(ids[0], 11) })
  await expect.poll(() => watch.find(ids[0])?.expiresAt.toISOString()).toBe('2030-01-01T00:00:00.000Z')
  await say({ type: 'MODIFIED', object: anObject(ids[0], 12, '2031-01-01T00:00:00.000Z') })
  await expect.poll(() => watch.find(ids[0])?.expiresAt.toISOString()).toBe('2031-01-01T00:00:00.000Z')
  await say({ type: 'DELETED', object: anObject(ids[0], 13) })
  await expect.poll(() => watch.find(ids[0])).toBeUndefined()
  expect(heard).toEqual([ids[0], ids[0], ids[0]])
})

test('the watch shows recordings until their instance is removed, even while the instance is ending', async () => {
  const { say, watch } = await startWatch()
  const heard: string[] = []
  watch.listenToCaptures((id) => heard.push(id))
  const condition = { type: 'CaptureHealthy', status: 'True', reason: 'Capturing', message: 'Traffic is being recorded.' }
  const captureAddress = { host: '10.0.0.7', port: 19_100 }
  const recorded = (version: number, metadata: object = {}) => {
    const { metadata: common, spec } = anObject(ids[0], version)
    return {
      metadata: { ...common, ...metadata },
      spec: { ...spec, capture: { enabled: true } },
      status: { conditions: [condition], captureAddress },
    }
  }
  await say({ type: 'ADDED', object: anObject(ids[1], 10) })
  await say({ type: 'ADDED', object: recorded(11) })
  const seen = {
    id: ids[0],
    recorders: [captureAddress],
    health: { isRecording: true, reason: 'Capturing', message: 'Traffic is being recorded.' },
    isEnding: false,
    isReleased: false,
  }
  await expect.poll(() => watch.listCaptures()).toEqual([seen])
  await say({ type: 'MODIFIED', object: recorded(12, { deletionTimestamp: '2030-01-01T00:00:00Z' }) })
  await expect.poll(() => watch.findCapture(ids[0])).toEqual({ ...seen, isEnding: true })
  expect(watch.find(ids[0])).toBeUndefined()
  const annotations = { [drainedAnnotation]: '2030-01-01T00:00:01Z' }
  await say({ type: 'MODIFIED', object: recorded(13, { deletionTimestamp: '2030-01-01T00:00:00Z', annotations }) })
  await expect.poll(() => watch.findCapture(ids[0])).toEqual({ ...seen, isEnding: true, isReleased: true })
  await say({ type: 'DELETED', object: recorded(14) })
  await expect.poll(() => watch.findCapture(ids[0])).toBeUndefined()
  expect(heard).toEqual([ids[0], ids[0], ids[0], ids[0]])
})

test('the watch ignores events that are older than the response to our own write', async () => {
  const { say, watch } = await startWatch()
  await expect.poll(() => watch.list()).toEqual([])
  watch.recordWrite(anObject(ids[0], 20, '2031-01-01T00:00:00.000Z'))
  await say({ type: 'ADDED', object: anObject(ids[0], 19) })
  await say({ type: 'ADDED', object: anObject(ids[1], 21) })
  await expect.poll(() => watch.find(ids[1])).toBeDefined()
  expect(watch.find(ids[0])?.expiresAt.toISOString()).toBe('2031-01-01T00:00:00.000Z')
})

test('after the end of a watch, the next watch continues, and the objects are not listed again', async () => {
  const { state, watches, say, watch } = await startWatch()
  await say({ type: 'BOOKMARK', object: { metadata: { name: '', resourceVersion: '42' } } })
  watches.at(-1)!.response.end()
  await expect.poll(() => watches.length).toBe(2)
  expect([watches.at(-1)!.version, state.lists]).toEqual(['42', 1])
  await say({ type: 'ADDED', object: anObject(ids[0], 43) })
  await expect.poll(() => watch.find(ids[0])).toBeDefined()
})

test('after a broken connection, the objects are listed again, and removed objects are noticed', async () => {
  const { state, watches, say, watch } = await startWatch()
  await say({ type: 'ADDED', object: anObject(ids[0], 11) })
  await expect.poll(() => watch.find(ids[0])).toBeDefined()
  Object.assign(state, { objects: [anObject(ids[1], 15)], version: 16 })
  watches.at(-1)!.response.destroy()
  await expect.poll(() => watch.list()?.map(({ id }) => id)).toEqual([ids[1]])
  await expect.poll(() => watches.at(-1)!.version).toBe('16')
  expect(state.lists).toBe(2)
})

test('if the server no longer has the resource version, the objects are listed again', async () => {
  const { state, say, watch } = await startWatch()
  await say({ type: 'ADDED', object: anObject(ids[0], 11) })
  await expect.poll(() => watch.find(ids[0])).toBeDefined()
  const heard: string[] = []
  watch.listen((id) => heard.push(id))
  Object.assign(state, { objects: [anObject(ids[1], 15)], version: 16 })
  await say({ type: 'ERROR', object: { code: 410, message: 'too old', metadata: {} } })
  await expect.poll(() => watch.list()?.map(({ id }) => id)).toEqual([ids[1]])
  expect(heard).toEqual([ids[0], ids[1]])
})

test('the objects are not listed again if the server restarts before the next watch begins', async () => {
  const { state, watches } = await startWatch()
  await expect.poll(() => watches.length).toBe(1)
  state.watchAnswer = 503
  watches.at(-1)!.response.end()
  await expect.poll(() => state.refused).toBeGreaterThan(1)
  state.watchAnswer = 200
  await expect.poll(() => watches.length).toBe(2)
  expect(state.lists).toBe(1)
})

test('an old response that arrives late does not restore a removed instance', async () => {
  const { say, watch } = await startWatch()
  await say({ type: 'ADDED', object: anObject(ids[0], 11) })
  await say({ type: 'DELETED', object: anObject(ids[0], 12) })
  await say({ type: 'ADDED', object: anObject(ids[1], 13) })
  await expect.poll(() => watch.find(ids[1])).toBeDefined()
  const heard: string[] = []
  watch.listen((id) => heard.push(id))
  watch.recordWrite(anObject(ids[0], 11))
  expect([watch.find(ids[0]), watch.nameOf(ids[0]), heard]).toEqual([undefined, undefined, []])
})

test('a write by the api notifies each listener exactly once, despite the later watch event', async () => {
  const { say, watch } = await startWatch()
  await expect.poll(() => watch.list()).toEqual([])
  const heard: string[] = []
  watch.listen((id) => heard.push(id))
  watch.recordWrite(anObject(ids[0], 20))
  expect(heard).toEqual([ids[0]])
  await say({ type: 'ADDED', object: anObject(ids[0], 20) })
  await say({ type: 'ADDED', object: anObject(ids[1], 21) })
  await expect.poll(() => watch.find(ids[1])).toBeDefined()
  expect(heard).toEqual([ids[0], ids[1]])
})

test('a watch that sends no data for too long is replaced', async () => {
  const { watches } = await startWatch({ silenceMs: 50 })
  await expect.poll(() => watches.length).toBeGreaterThanOrEqual(3)
})
