import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ApiAccess } from '@capstan/kubernetes/access'
import { describe, expect, it } from 'vitest'
import { ask, createTestCluster, eventually, type TestCluster } from '../testing/cluster.ts'
import { expectConverged, expectEnded, expectNoOrphans } from '../testing/convergence.ts'
import { startFaultProxy } from '../testing/fault-proxy.ts'

/**
 * A command that kills the API server, lets etcd forget older versions, and returns when the API server serves again. Only
 * whoever owns a cluster that may be broken has one: without it this file is left out (vitest.config.ts).
 */
const restartCommand = process.env.CAPSTAN_TEST_APISERVER_RESTART

describe('the API server restarted, its history compacted', () => {
  /** An operator that is followed by another when it lost its lease, as a Deployment does it. */
  async function superviseOperator(cluster: TestCluster, access: ApiAccess) {
    let current = await cluster.startOperator({ access, strictLease: true })
    const follow = async (end: 'stopped' | 'lost'): Promise<void> => {
      if (end === 'stopped') return
      current = await cluster.startOperator({ access, strictLease: true })
      void current.ended.then(follow)
    }
    void current.ended.then(follow)
    return {
      leader: () => eventually('an operator leads', 60_000, async () => (current.operator.isLeader() ? current : undefined)),
    }
  }

  const refusalOfWatch = async (cluster: TestCluster, resourceVersion: string): Promise<unknown> => {
    const enough = new Error('The watch was accepted')
    const heard = () => {
      throw enough
    }
    const options = { resourceVersion, timeoutSeconds: 5, signal: AbortSignal.timeout(10_000), opened: () => undefined, heard }
    try {
      await cluster.client.watch(challengeInstances, { namespace: cluster.namespace }, options)
    } catch (error) {
      return error === enough ? undefined : error
    }
    return undefined
  }

  it('in the middle of a life: the operator lists anew, and the world is as it should be', async () => {
    const cluster = await createTestCluster()
    let lists = 0
    const proxy = await startFaultProxy(cluster.access, ({ method, path, isWatch }) => {
      if (method === 'GET' && !isWatch && path.includes('/challengeinstances?')) lists += 1
      return undefined
    })
    try {
      const operators = await superviseOperator(cluster, proxy.access)
      const kept = await cluster.create({}, { flag: 'flag{kept}' })
      const ended = await cluster.create({}, { flag: 'flag{ended}' })
      const { status } = await cluster.reason(kept.metadata.name, 'Ready', 60_000)
      const listsBefore = lists
      await cluster.remove(challengeInstances, ended.metadata.name)
      const late = await cluster.create({}, { flag: 'flag{late}' })
      const restarted = promisify(exec)(restartCommand ?? '')
      expect(await ask(status?.address?.host ?? '', 1337, 'flag')).toBe('flag{kept}')
      await restarted

      expect(await refusalOfWatch(cluster, kept.metadata.resourceVersion)).toMatchObject({ status: 410, reason: 'Expired' })
      await cluster.reason(late.metadata.name, 'Ready', 60_000)
      await cluster.gone(ended.metadata.name, 60_000)
      await expectConverged(cluster, await operators.leader(), kept.metadata.name)
      expect(lists).toBeGreaterThan(listsBefore)
      await expectNoOrphans(cluster)
      await expectEnded(cluster, kept.metadata.name)
    } finally {
      await proxy.close()
      await cluster.close()
    }
  })
})
