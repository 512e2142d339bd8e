import { createServer } from 'node:net'
import { type Pod, pods } from '@capstan/kubernetes/built-in-kinds'
import { ApiError, type KubeClient } from '@capstan/kubernetes/client'
import { expect, it, onTestFinished } from 'vitest'
import { Skipped } from '../../isolation-probe/attempts.ts'
import { requireConnection } from '../../isolation-probe/lateral.ts'
import { openConnectionTo } from '../../isolation-probe/network.ts'
import type { ProbeTask } from '../../isolation-probe/task.ts'
import { readProbeFindings } from './probe-findings.ts'
import { createRepeatingClient } from './repeating-client.ts'
import { probeLimits } from './run-probes.ts'

const timeoutMs = 60_000

const podMetadata = { name: 'probe', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-05-01T12:00:00Z' }

/** Creates a client that returns this pod without a log. */
function clientOf(status: Pod['status']): KubeClient {
  return { get: async () => ({ metadata: podMetadata, status }), readLog: async () => '' } as unknown as KubeClient
}

function probeOf(role: ProbeTask['role']) {
  const task: ProbeTask = {
    role,
    egress: 'None',
    profile: 'Restricted',
    targets: [],
    nodeAddresses: [],
    limits: { ...probeLimits, processes: 64 },
  }
  return { namespace: 'instances', name: 'probe', task }
}

function endedWith(exitCode: number, reason: string): Pod['status'] {
  return {
    containerStatuses: [{ name: 'challenge', ready: false, restartCount: 1, state: { terminated: { exitCode, reason } } }],
  }
}

/** Creates a client whose requests return these results in turn. A result that is an error is thrown. */
function repeatingClientOf(...results: unknown[]) {
  const next = async () => {
    const result = results.shift()
    if (result instanceof Error) throw result
    return result
  }
  const client = { get: next, listPage: next, patchJson: next, delete: next, readLog: next, create: next }
  return { client: createRepeatingClient(client as unknown as KubeClient), results }
}

it.each([
  ['a kubelet that cannot answer', new ApiError(500, 'InternalError', 'dial tcp: i/o timeout')],
  ['a busy API server', new ApiError(429, 'TooManyRequests', 'slow down')],
  ['a broken connection', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
  ['a concurrent change', new ApiError(409, 'Conflict', 'the object has been modified')],
])('requests are repeated after %s', async (_name, error) => {
  const { client } = repeatingClientOf(error, error, 'the log')
  expect(await client.readLog('instances', 'probe', 'challenge')).toBe('the log')
})

it('an object that a lost request has created is returned', async () => {
  const { client, results } = repeatingClientOf(
    new Error('socket hang up'),
    new ApiError(409, 'AlreadyExists', 'it already exists'),
    { metadata: podMetadata },
  )
  expect(await client.create(pods, 'instances', { metadata: { name: 'probe' } })).toEqual({ metadata: podMetadata })
  expect(results).toEqual([])
})

it('a forbidden request is not repeated', async () => {
  const { client, results } = repeatingClientOf(new ApiError(403, 'Forbidden', 'pods/log is forbidden'), 'the log')
  await expect(client.readLog('instances', 'probe', 'challenge')).rejects.toThrow('forbidden')
  expect(results).toEqual(['the log'])
})

it.each([
  ['OOMKilled', 137, 'blocked', 'OOMKilled'],
  ['Error', 137, 'blocked', 'ended by SIGKILL'],
  ['Error', 1, 'broken', 'Error'],
])('a memory probe that ended with the reason %s and exit code %s counts as %s', async (reason, exitCode, outcome, detail) => {
  const client = clientOf(endedWith(exitCode, reason))
  expect(await readProbeFindings(client, probeOf('memory'), timeoutMs)).toMatchObject([{ outcome, detail }])
})

it('a probe of network connections that is killed counts as broken', async () => {
  const client = clientOf(endedWith(137, 'Error'))
  expect(await readProbeFindings(client, probeOf('attempts'), timeoutMs)).toMatchObject([{ outcome: 'broken' }])
})

it('a permitted connection that first fails is repeated until it succeeds', async () => {
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  let failures = 2
  const open = () => (failures-- > 0 ? Promise.reject(new Error('no answer')) : openConnectionTo('127.0.0.1', port))
  await expect(requireConnection(open)).rejects.toThrow(Skipped)
})

it('a permitted connection that fails until the timeout is an error', async () => {
  const open = () => Promise.reject(new Error('no answer'))
  await expect(requireConnection(open, 0)).rejects.toThrow('a permitted connection failed: no answer')
})

it.each<[string, Pod['status'], string]>([
  [
    'has no node',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes: Too many pods' }] },
    '0/1 nodes: Too many pods',
  ],
  ['runs', { phase: 'Running' }, 'Running'],
])('the finding for a pod that %s until the timeout names its state', async (_name, status, state) => {
  const [finding] = await readProbeFindings(clientOf(status), probeOf('attempts'), 600)
  expect(finding).toMatchObject({ outcome: 'broken', detail: `the pod did not end in time: ${state}` })
})
