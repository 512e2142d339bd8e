import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ApiAccess } from '@capstan/kubernetes/access'
import { describe, expect, it } from 'vitest'
import { createTestCluster, sendLineAndReadReply, type TestCluster, waitForValue } from '../testing/cluster.ts'
import { expectInstanceConverged, expectInstanceEnds, expectNoOrphans } from '../testing/convergence.ts'
import { startFaultProxy } from '../testing/fault-proxy.ts'

/**
 * Command that kills the API server, removes old versions from etcd, and returns once the API server works again. Use it only on
 * a disposable cluster. If the command is not set, the tests in this file are skipped (vitest.config.ts).
 */
const restartCommand = process.env.CAPSTAN_TEST_APISERVER_RESTART

describe('the API server restarts and discards old resource versions', () => {
  /** Runs an operator. When the operator loses its lease, starts another operator, as a Deployment does. */
  async function superviseOperator(cluster: TestCluster, access: ApiAccess) {
    let current = await cluster.startOperator({ access, strictLease: true })
    const follow = async (end: 'stopped' | 'lost'): Promise<void> => {
      if (end === 'stopped') return
      current = await cluster.startOperator({ access, strictLease: true })
      void current.ended.then(follow)
    }
    void current.ended.then(follow)
    return {
      leader: () => waitForValue('an operator leads', async () => (current.operator.isLeader() ? current : undefined)),
    }
  }

  const refusalOfWatch = async (cluster: TestCluster, resourceVersion: string): Promise<unknown> => {
    const enough = new Error('The watch was accepted')
    const onEvent = () => {
      throw enough
    }
    const options = { resourceVersion, timeoutSeconds: 5, signal: AbortSignal.timeout(10_000), onOpen: () => undefined, onEvent }
    try {
      await cluster.client.watch(challengeInstances, { namespace: cluster.namespace }, options)
    } catch (error) {
      return error === enough ? undefined : error
    }
    return undefined
  }

  it('the operator lists all objects again, and all instances converge', async () => {
    const cluster = await createTestCluster()
    let lists = 0
    const proxy = await startFaultProxy(cluster.access, ({ method, path, isWatch }) => {
      if (method === 'GET' && !isWatch && path.includes('/challengeinstances?')) lists += 1
      return undefined
    })
    try {
      const operators = await superviseOperator(cluster, proxy.access)
      const survivor = await cluster.create({}, { flag: 'flag{kept}' })
      const ended = await cluster.create({}, { flag: 'flag{ended}' })
      const { status } = await cluster.waitForReason(survivor.metadata.name, 'Ready')
      const listsBefore = lists
      await cluster.remove(challengeInstances, ended.metadata.name)
      const late = await cluster.create({}, { flag: 'flag{late}' })
      const restarted = promisify(exec)(restartCommand ?? '')
      expect(await sendLineAndReadReply(status?.address?.host ?? '', 1337, 'flag')).toBe('flag{kept}')
      await restarted

      expect(await refusalOfWatch(cluster, survivor.metadata.resourceVersion)).toMatchObject({ status: 410, reason: 'Expired' })
      await cluster.waitForReason(late.metadata.name, 'Ready')
      await cluster.waitUntilDeleted(ended.metadata.name)
      await expectInstanceConverged(cluster, await operators.leader(), survivor.metadata.name)
      expect(lists).toBeGreaterThan(listsBefore)
      await expectNoOrphans(cluster)
      await expectInstanceEnds(cluster, survivor.metadata.name)
    } finally {
      await proxy.close()
      await cluster.close()
    }
  })
})
