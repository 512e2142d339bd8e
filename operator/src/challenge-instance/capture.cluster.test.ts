import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { drainedAnnotation } from '@capstan/challenge-instance/labels'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  captureImage,
  createTestCluster,
  echoImage,
  sendLineAndReadReply,
  type TestCluster,
  waitForValue,
} from '../testing/cluster.ts'

interface Report {
  segments: { name: string; bytes: number }[]
  finished: boolean
  packets: number
  droppedPackets: number
}

type Further = NonNullable<ChallengeInstanceSpec['containers']>[number]

let cluster: TestCluster

function capturing(drainSeconds: number) {
  return {
    environment: { CAPSTAN_CAPTURE_IMAGE: captureImage, CAPSTAN_CAPTURE_DRAIN_SECONDS: `${drainSeconds}` },
  }
}

beforeAll(async () => {
  cluster = await createTestCluster()
  await cluster.startOperator(capturing(600))
})
afterAll(() => cluster?.close())

async function record(cluster: TestCluster) {
  const { metadata } = await cluster.create({
    capture: { enabled: true, maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 },
  })
  await cluster.waitForReason(metadata.name, 'Ready')
  const instance = await waitForValue('its traffic is being recorded', async () => {
    const found = await cluster.find(challengeInstances, metadata.name)
    return findCondition(found?.status?.conditions, 'CaptureHealthy')?.status === 'True' ? found : undefined
  })
  const { address, captureAddress } = instance.status!
  return { metadata: instance.metadata, address: address!, url: `http://${captureAddress!.host}:${captureAddress!.port}` }
}

function readPcap(file: Buffer): { frames: number; text: string; linkType: number } {
  expect(file.readUInt32LE(0)).toBe(0xa1b2c3d4)
  let frames = 0
  for (let at = 24; at < file.length; at += 16 + file.readUInt32LE(at + 8)) frames += 1
  return { frames, text: file.toString('latin1'), linkType: file.readUInt32LE(20) }
}

describe('an instance with recorded traffic', () => {
  it('an instance ends after the collector has fetched every recorded frame', async () => {
    const { metadata, address, url } = await record(cluster)
    expect(await sendLineAndReadReply(address.host, address.port, 'a line for the record')).toBe('a line for the record')
    await cluster.remove(challengeInstances, metadata.name)
    await cluster.waitForReason(metadata.name, 'Ending')
    const report = (await (await fetch(`${url}/finish`, { method: 'POST' })).json()) as Report
    expect(report).toMatchObject({ finished: true, droppedPackets: 0 })
    const files = await Promise.all(
      report.segments.map(async ({ name, bytes }) => {
        const file = Buffer.from(await (await fetch(`${url}/segments/${name}`)).arrayBuffer())
        expect(file).toHaveLength(bytes)
        return readPcap(file)
      }),
    )
    // The link type is Ethernet (1), and the text is recorded in both directions.
    expect(files.every(({ linkType }) => linkType === 1)).toBe(true)
    expect(files.map(({ text }) => text.split('a line for the record').length - 1).reduce((a, b) => a + b)).toBe(2)
    expect(files.map(({ frames }) => frames).reduce((a, b) => a + b)).toBe(report.packets)
    for (const { name } of report.segments)
      expect((await fetch(`${url}/segments/${name}`, { method: 'DELETE' })).status).toBe(204)
    expect(await cluster.find(pods, metadata.name)).toBeDefined()
    await cluster.client.patchJson(challengeInstances, cluster.namespace, metadata.name, [
      { op: 'add', path: '/metadata/annotations', value: { [drainedAnnotation]: new Date().toISOString() } },
    ])
    // The collector has ten minutes to fetch the recordings. The test waits less than that, so it fails if the instance does not
    // end earlier.
    await cluster.waitUntilDeleted(metadata.name)
  })

  it('traffic is recorded from the first to the last connection, even if eight instances start concurrently', async () => {
    const play = async (index: number): Promise<number[]> => {
      const { metadata } = await cluster.create({
        capture: { enabled: true, maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 },
      })
      const { status } = await cluster.waitForReason(metadata.name, 'Ready')
      const { address, captureAddress } = status!
      const [first, last] = [`first line of ${index}`, `last line of ${index}`]
      // The first connection opens as soon as the instance is ready. The instance is deleted after the last response.
      expect(await sendLineAndReadReply(address!.host, address!.port, first)).toBe(first)
      expect(await sendLineAndReadReply(address!.host, address!.port, last)).toBe(last)
      await cluster.remove(challengeInstances, metadata.name)
      const url = `http://${captureAddress!.host}:${captureAddress!.port}`
      const report = (await (await fetch(`${url}/finish`, { method: 'POST' })).json()) as Report
      expect(report).toMatchObject({ finished: true, droppedPackets: 0 })
      const files = await Promise.all(
        report.segments.map(async ({ name }) => Buffer.from(await (await fetch(`${url}/segments/${name}`)).arrayBuffer())),
      )
      const text = Buffer.concat(files).toString('latin1')
      return [first, last].map((line) => text.split(line).length - 1)
    }
    // Each line is recorded twice, because the challenge echoes it.
    expect(await Promise.all(Array.from({ length: 8 }, (_, index) => play(index)))).toEqual(Array(8).fill([2, 2]))
  })

  it('records traffic that uses the recorder’s port number, except for the collector’s requests', async () => {
    const { address, url } = await record(cluster)
    const port = Number(new URL(url).port)
    expect(await sendLineAndReadReply(address.host, address.port, 'said from that port', 20_000, port)).toBe(
      'said from that port',
    )
    // No host answers at this address. The test only needs the attempt to connect.
    const elsewhere = '192.0.2.77'
    expect(await sendLineAndReadReply(address.host, address.port, `dial ${elsewhere} ${port}`)).toBe('closed')
    const report = (await (await fetch(`${url}/finish`, { method: 'POST' })).json()) as Report
    const files = await Promise.all(
      report.segments.map(async ({ name }) => Buffer.from(await (await fetch(`${url}/segments/${name}`)).arrayBuffer())),
    )
    const all = Buffer.concat(files)
    expect(all.toString('latin1').split('said from that port').length - 1).toBe(2)
    const bytesOf = (host: string) => Buffer.from(host.split('.').map(Number))
    const attempt = Buffer.concat([bytesOf(address.host), bytesOf(elsewhere)])
    const found = all.indexOf(attempt)
    expect(found).toBeGreaterThan(0)
    expect(all.readUInt16BE(found + 8 + 2)).toBe(port)
    expect(all.includes('GET /segments')).toBe(false)
  })

  it('an instance ends after the timeout and reports the loss if no collector fetches its recordings', async () => {
    const impatient = await createTestCluster()
    try {
      await impatient.startOperator(capturing(8))
      const { metadata } = await record(impatient)
      const removedAt = Date.now()
      await impatient.remove(challengeInstances, metadata.name)
      await impatient.waitUntilDeleted(metadata.name)
      // The timeout is eight seconds. Allow one second less, because Kubernetes timestamps omit fractions of a second.
      expect(Date.now() - removedAt).toBeGreaterThan(7000)
      await impatient.waitForEvent(metadata.uid, 'CaptureLost')
    } finally {
      await impatient.close()
    }
  })

  it('an instance cannot reach the recorder from its own pod', async () => {
    const { address, url } = await record(cluster)
    const { port } = new URL(url)
    expect((await fetch(`${url}/segments`)).status).toBe(200)
    for (const host of [address.host, '127.0.0.1']) {
      expect(await sendLineAndReadReply(address.host, address.port, `get http://${host}:${port}/segments`)).toBe('refused')
    }
  })
})

describe('an instance with several recorded containers', () => {
  const capture = { enabled: true, maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 }
  const resources = { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 }
  const profile = { egress: 'None', profile: 'Restricted' } as const
  const db: Further = { name: 'db', image: echoImage, resources, ...profile, furtherPorts: [1337] }

  /**
   * Ends a recording.
   * @param isRemoved true to delete the segments afterwards
   * @returns the text of all segments
   */
  async function finish(host: string, isRemoved = false): Promise<string> {
    const url = `http://${host}:19100`
    const { segments, finished } = (await (await fetch(`${url}/finish`, { method: 'POST' })).json()) as Report
    expect(finished).toBe(true)
    const texts = segments.map(async ({ name }) => {
      const file = Buffer.from(await (await fetch(`${url}/segments/${name}`)).arrayBuffer())
      if (isRemoved) await fetch(`${url}/segments/${name}`, { method: 'DELETE' })
      return file.toString('latin1')
    })
    return (await Promise.all(texts)).join('')
  }

  it('each container has a separate recording, and the instance ends after all recordings are fetched', async () => {
    const { metadata } = await cluster.create({
      container: { name: 'page' },
      containers: [db],
      capture: { ...capture, containers: [{ name: 'page', ports: [1337] }, { name: 'db' }] },
    })
    const { name } = metadata
    await cluster.waitForReason(name, 'Ready')
    const hosts = await waitForValue('both containers are recorded', async () => {
      const { containers = [], captureAddress } = (await cluster.find(challengeInstances, name))?.status ?? {}
      expect(captureAddress).toBeUndefined()
      const found = containers.flatMap(({ captureAddress: address }) => (address ? [address.host] : []))
      return found.length === 2 ? found : undefined
    })
    const [page = '', store = ''] = hosts
    expect(await sendLineAndReadReply(page, 1337, 'a line of a player')).toBe('a line of a player')
    // The other container echoes the request. An echo is not a valid HTTP response, so the page returns `refused`.
    expect(await sendLineAndReadReply(page, 1337, `get http://${store}:1337/between`)).toBe('refused')
    // A container of the instance cannot reach the recorder of another container.
    expect(await sendLineAndReadReply(page, 1337, `dial ${store} 19100`)).toBe('closed')
    await cluster.remove(challengeInstances, name)
    const { status } = await cluster.waitForReason(name, 'Ending')
    expect(status?.containers?.map(({ captureAddress }) => captureAddress?.host)).toEqual(hosts)
    const ofPage = await finish(page, true)
    expect([ofPage.split('a line of a player').length - 1, ofPage.includes('GET /between')]).toEqual([2, false])
    const ofStore = await finish(store)
    expect([ofStore.includes('GET /between'), ofStore.includes('a line of a player')]).toEqual([true, false])
    // The recordings of the container `page` were fetched and deleted. The pods remain until the recordings of `db` are
    // also fetched.
    expect(await Promise.all([name, `${name}-db`].map((pod) => cluster.find(pods, pod)))).not.toContain(undefined)
    await cluster.client.patchJson(challengeInstances, cluster.namespace, name, [
      { op: 'add', path: '/metadata/annotations', value: { [drainedAnnotation]: new Date().toISOString() } },
    ])
    await cluster.waitUntilDeleted(name)
  })

  it('records only the entry container if the instance object does not list the containers to record', async () => {
    const { metadata } = await cluster.create({ container: { name: 'page' }, containers: [db], capture })
    const { status } = await cluster.waitForReason(metadata.name, 'Ready')
    expect(status?.captureAddress).toBeDefined()
    const [page, store] = await Promise.all([metadata.name, `${metadata.name}-db`].map((pod) => cluster.find(pods, pod)))
    expect([page, store].map((pod) => pod?.status?.containerStatuses?.length)).toEqual([2, 1])
  })
})

it('an instance becomes ready and reports a problem if its operator has no recorder settings', async () => {
  const plain = await createTestCluster()
  try {
    await plain.startOperator()
    const { metadata } = await plain.create({
      capture: { enabled: true, maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 },
    })
    const { status } = await plain.waitForReason(metadata.name, 'Ready')
    expect(findCondition(status?.conditions, 'CaptureHealthy')).toMatchObject({ status: 'False', reason: 'CaptureNotConfigured' })
    await plain.remove(challengeInstances, metadata.name)
    await plain.waitUntilDeleted(metadata.name)
  } finally {
    await plain.close()
  }
})
