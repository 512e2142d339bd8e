import type { CaptureFigures, InstanceCapture } from '@capstan/contract/captures'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { ApiActor } from './actors.ts'
import { poll } from './poll.ts'

export const echoPort = 1337

/**
 * Adds a challenge that runs the echo image, and enables the recording of its instances.
 * @returns the id of the challenge
 */
export async function addRecordedChallenge(organizer: ApiActor, gameId: number, image: string): Promise<number> {
  const { id: cid } = await organizer.call(operations.createChallenge, {
    params: { id: gameId },
    body: { title: 'Listening post', category: 'Misc', type: 'StaticContainer' },
  })
  const params = { id: gameId, cid }
  await organizer.call(operations.updateChallenge, {
    params,
    body: {
      containerImage: image,
      containerExposePort: echoPort,
      cpuCount: 10,
      memoryLimit: 128,
      storageLimit: 128,
      enableTrafficCapture: true,
    },
  })
  await organizer.call(operations.addFlags, { params, body: [{ flag: 'flag{heard}' }] })
  await organizer.call(operations.updateChallenge, { params, body: { isEnabled: true } })
  return cid
}

/**
 * Returns the capture state of one instance as monitors see it.
 * @returns undefined if there is no capture
 */
export async function findInstanceCapture(
  monitor: ApiActor,
  gameId: number,
  instanceId: string,
): Promise<InstanceCapture | undefined> {
  const { instances } = await monitor.call(ownOperations.getCaptureHealth, { params: { id: gameId } })
  return instances.find((instance) => instance.instanceId === instanceId)
}

/** Waits until all files of an ended instance are stored or counted as missing. */
export function waitForLastCaptureFile(monitor: ApiActor, gameId: number, instanceId: string): Promise<InstanceCapture> {
  return poll(
    'the last file to be stored',
    async () => {
      const capture = await findInstanceCapture(monitor, gameId, instanceId)
      return capture && ['Complete', 'Incomplete'].includes(capture.state) ? capture : undefined
    },
    { everyMs: 250 },
  )
}

/** Downloads the files of one instance as a monitor, in the order of recording. */
export async function downloadCaptures(
  monitor: ApiActor,
  { challengeId, participationId, instanceId }: InstanceCapture,
): Promise<Uint8Array[]> {
  const params = { cid: challengeId, pid: participationId }
  const listed = await monitor.call(operations.listCaptures, { params })
  const own = listed.filter(({ fileName }) => fileName.startsWith(instanceId.slice(0, 8)))
  const files: Uint8Array[] = []
  for (const { fileName, size } of own) {
    const file = await monitor.download(operations.downloadCapture, { params: { ...params, file: fileName } })
    if (file.length !== size) throw new Error(`${fileName} has ${file.length} bytes, not ${size}`)
    files.push(file)
  }
  return files
}

/** Returns the number of packets in the files of one instance, according to the list for monitors. */
export async function countListedPackets(
  monitor: ApiActor,
  { challengeId, participationId, instanceId }: InstanceCapture,
): Promise<number> {
  const params = { cid: challengeId, pid: participationId }
  const listed = await monitor.call(ownOperations.listCountedCaptures, { params })
  const own = listed.filter(({ fileName }) => fileName.startsWith(instanceId.slice(0, 8)))
  return own.reduce((sum, { packets }) => sum + (packets ?? Number.NaN), 0)
}

export function lossesOfCapture({ droppedPackets, lostFiles, lostBytes, gaps }: CaptureFigures) {
  return {
    droppedPackets,
    lostFiles,
    lostBytes,
    gaps,
  }
}

export const noLosses = { droppedPackets: 0, lostFiles: 0, lostBytes: 0, gaps: 0 }
