import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { operations } from '@capstan/contract/operations'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedDemoGame } from '../challenges/seed.ts'
import { ApiActor } from '../support/actors.ts'
import { getObjects, installChart, killMainProcessOfPod, type Release, runKubectl } from '../support/cluster.ts'
import { createPlayerInGame, findChallenge, type Player } from '../support/player.ts'
import { poll } from '../support/poll.ts'

interface Pod {
  metadata: { name: string; deletionTimestamp?: string }
  status: {
    conditions?: { type: string; status: string }[]
    containerStatuses?: { restartCount: number; lastState: { terminated?: { exitCode: number } } }[]
  }
}

const releaseName = 'capstan-pods'
const flagsPerSecond = 8
const components = ['api', 'web', 'gateway'] as const

/** Numbers of successful calls, and details of lost calls. */
interface Tally {
  succeeded: number
  lost: Readonly<{ startedAtMs: number; text: string }>[]
}

/** Errors of calls that were in progress when a process was killed. The client cannot know whether the call had an effect. */
const lostInProgress = /fetch failed|refused with 503/

let release: Release
let players: Player[]
let challengeId: number
let monitor: ApiActor
/**
 * Map from each accepted flag to the team and the id of the submission. Ids start from 1 in each team. Only one player submits each
 * flag.
 */
const accepted = new Map<string, string>()
const tally: Tally = { succeeded: 0, lost: [] }
const leaving = new AbortController()
let load: Promise<void>

beforeAll(async () => {
  release = await installChart(releaseName, { 'blobs.folder.accessMode': 'ReadWriteMany' }, 'previous')
  const { baseUrl, adminName, adminPassword } = release.world
  const { gameId } = await seedDemoGame({ baseUrl, adminName, adminPassword })
  monitor = new ApiActor(baseUrl)
  await monitor.logIn(adminName, adminPassword)
  players = await Promise.all(Array.from({ length: 4 }, () => createPlayerInGame(baseUrl, gameId)))
  challengeId = (await findChallenge(players[0] as Player, 'signal-hoist')).id
  load = play()
})
afterAll(async () => {
  leaving.abort()
  await load
  await release?.uninstall()
})

function wordsOf(error: unknown): string {
  return error instanceof Error
    ? [error.message, error.cause === undefined ? '' : wordsOf(error.cause)].join(' ').trim()
    : String(error)
}

/**
 * Makes a call and counts its result.
 * @returns undefined if the call failed
 */
async function count<T>(call: () => Promise<T>): Promise<T | undefined> {
  const startedAtMs = performance.now()
  try {
    const answer = await call()
    tally.succeeded += 1
    return answer
  } catch (error) {
    tally.lost.push({ startedAtMs, text: wordsOf(error) })
    return undefined
  }
}

/**
 * Submits flags at a steady rate, even if earlier responses are pending, and requests each verdict once. Like the web
 * client, the function repeats a failed submission with the same key until a response arrives.
 */
async function play(): Promise<void> {
  const calls: Promise<void>[] = []
  for (let turn = 0; !leaving.signal.aborted; turn += 1) {
    const team = turn % players.length
    const { actor, gameId } = players[team] as Player
    const params = { id: gameId, cid: challengeId }
    const flag = `flag{wrong-${turn}}`
    const headers = { 'idempotency-key': randomUUID() }
    const send = async (): Promise<number> =>
      (await actor.send(operations.submitFlag, { params, body: { flag }, headers })).json() as Promise<number>
    const submit = async (): Promise<void> => {
      const sid = (await count(send)) ?? (await poll(`${flag} to be accepted`, send, { everyMs: 500 }))
      accepted.set(flag, `${team}/${sid}`)
      await count(() => actor.call(operations.getSubmissionStatus, { params: { ...params, sid } }))
    }
    calls.push(submit())
    await pause(1000 / flagsPerSecond)
  }
  await Promise.all(calls)
}

function isReady({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
  )
}

async function readyPods(component: string): Promise<Pod[]> {
  return (await getObjects<Pod>(release.namespace, 'pods', `--selector=app.kubernetes.io/component=${component}`)).filter(isReady)
}

function waitUntilAllReady(component: string) {
  return poll(`two pods of ${component} to be ready`, async () => (await readyPods(component)).length === 2)
}

async function playOn() {
  const { succeeded } = tally
  await poll('calls to succeed', () => tally.succeeded > succeeded + flagsPerSecond * 6)
}

/** Returns the calls that failed during `act` or before all pods were ready again. */
async function whatIsLost(act: () => Promise<unknown>) {
  await playOn()
  const before = tally.lost.length
  await act()
  for (const component of components) await waitUntilAllReady(component)
  await playOn()
  return tally.lost.slice(before)
}

describe('a release with two replicas', () => {
  test.each(['first', 'second'])('no call fails during the %s upgrade of the release', async (turn) => {
    const lost = await whatIsLost(() => release.upgrade({ logLevel: turn === 'first' ? 'warn' : 'info' }))
    expect(lost.map(({ text }) => text)).toEqual([])
  })

  test.each(components)('no call fails while a pod of %s is deleted', async (component) => {
    const lost = await whatIsLost(async () => {
      const [pod] = await readyPods(component)
      await runKubectl('--namespace', release.namespace, 'delete', 'pod', pod?.metadata.name ?? '', '--wait=false')
      await poll('the pod to leave', async () =>
        (await readyPods(component)).every((each) => each.metadata.name !== pod?.metadata.name),
      )
    })
    expect(lost.map(({ text }) => text)).toEqual([])
  })

  test.each(components)(
    'no call fails, except calls in progress, while a pod of %s is deleted without a grace period',
    async (component) => {
      const lost = await whatIsLost(async () => {
        const [pod] = await readyPods(component)
        // Even without a grace period, the kubelet waits two seconds before it kills the container.
        await runKubectl(
          '--namespace',
          release.namespace,
          'delete',
          'pod',
          pod?.metadata.name ?? '',
          '--grace-period=0',
          '--force',
        )
      })
      for (const { text } of lost) expect(text).toMatch(lostInProgress)
    },
  )

  test.each(components)(
    'no call fails, except calls in progress, while SIGKILL ends the process of a pod of %s',
    async (component) => {
      let killedAtMs = 0
      let exitCode: number | undefined
      const lost = await whatIsLost(async () => {
        const [pod] = await readyPods(component)
        const name = pod?.metadata.name ?? ''
        await killMainProcessOfPod(release.namespace, name)
        killedAtMs = performance.now()
        exitCode = await poll('the container to start again', async () => {
          const pods = await getObjects<Pod>(release.namespace, 'pods', `--field-selector=metadata.name=${name}`)
          return pods[0]?.status.containerStatuses?.[0]?.lastState.terminated?.exitCode
        })
      })
      expect(exitCode).toBe(128 + 9)
      for (const { text } of lost) expect(text).toMatch(lostInProgress)
      // Calls to the web process may fail for longer, until the node removes the address of the ended process from the Service.
      if (component !== 'web')
        expect(lost.filter(({ startedAtMs }) => startedAtMs > killedAtMs).map(({ text }) => text)).toEqual([])
    },
  )

  test('no submission is lost or counted twice if clients repeat failed submissions with the same key', async () => {
    leaving.abort()
    await load
    const { gameId } = players[0] as Player
    const submissions = await monitor.call(operations.listSubmissions, { params: { id: gameId }, query: { count: 0 } })
    expect(submissions.map(({ answer }) => answer).toSorted()).toEqual([...accepted.keys()].toSorted())
    expect(new Set(accepted.values()).size).toBe(accepted.size)
    expect(accepted.size).toBeGreaterThan(components.length * flagsPerSecond)
  })
})
