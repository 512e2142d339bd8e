import { createServer } from 'node:net'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { ApiError, type KubeClient } from '@capstan/kubernetes/client'
import { expect, it, onTestFinished } from 'vitest'
import { Skipped } from '../../isolation-probe/attempts.ts'
import { requireConnection } from '../../isolation-probe/lateral.ts'
import { openConnectionTo } from '../../isolation-probe/network.ts'
import { doneLine, findingPrefix, type ProbeTask } from '../../isolation-probe/task.ts'
import { readProbeFindings } from './probe-findings.ts'
import { probeLimits } from './run-probes.ts'

const timeoutMs = 60_000

/** Creates a client that returns this pod, and takes the pod's log from `readLog`. */
function clientOf(status: Pod['status'], readLog: () => string): KubeClient {
  const metadata = { name: 'probe', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-05-01T12:00:00Z' }
  return { get: async () => ({ metadata, status }), readLog: async () => readLog() } as unknown as KubeClient
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

it('findings are read after the kubelet failed to return the log', async () => {
  const finding = { title: 'leave', control: 'capabilities', outcome: 'blocked', detail: 'EPERM' }
  const answers = [
    () => {
      throw new ApiError(500, 'InternalError', 'dial tcp: i/o timeout')
    },
    () => {
      throw new ApiError(429, 'TooManyRequests', 'slow down')
    },
    () => `${findingPrefix}${JSON.stringify(finding)}\n${doneLine}\n`,
  ]
  const client = clientOf({}, () => answers.shift()?.() ?? '')
  expect(await readProbeFindings(client, probeOf('attempts'), timeoutMs)).toEqual([finding])
})

it('a log that the doctor may not read is an error', async () => {
  const client = clientOf({}, () => {
    throw new ApiError(403, 'Forbidden', 'pods/log is forbidden')
  })
  await expect(readProbeFindings(client, probeOf('attempts'), timeoutMs)).rejects.toThrow('forbidden')
})

it.each([
  ['OOMKilled', 137, 'blocked', 'OOMKilled'],
  ['Error', 137, 'blocked', 'ended by SIGKILL'],
  ['Error', 1, 'broken', 'Error'],
])('a memory probe that ended with the reason %s and exit code %s counts as %s', async (reason, exitCode, outcome, detail) => {
  const client = clientOf(endedWith(exitCode, reason), () => '')
  expect(await readProbeFindings(client, probeOf('memory'), timeoutMs)).toMatchObject([{ outcome, detail }])
})

it('a probe of network connections that is killed counts as broken', async () => {
  const client = clientOf(endedWith(137, 'Error'), () => '')
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
