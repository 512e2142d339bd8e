import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { networkPolicies, pods } from '@capstan/kubernetes/built-in-kinds'
import { type Clock, systemClock } from '@capstan/kubernetes/clock'
import { findCondition } from '@capstan/kubernetes/conditions'
import { describe, expect, it } from 'vitest'
import { createTestCluster, sendLineAndReadReply, waitForValue } from '../testing/cluster.ts'
import { expectInstanceConverged, expectInstanceEnds, expectNoOrphans } from '../testing/convergence.ts'
import { type Fault, type ProxiedRequest, startFaultProxy } from '../testing/fault-proxy.ts'
import { startOperatorProcess } from '../testing/operator-process.ts'
import { createSeededRandom } from '../testing/seeded-random.ts'

describe.concurrent('the operator', () => {
  // Run the slowest test first. The other tests run while the slowest test waits.
  it('removes a flag’s Secret if its instance ended before becoming the owner of the Secret', async () => {
    const cluster = await createTestCluster()
    try {
      const { metadata } = await cluster.create({}, { flag: 'flag{left}' })
      await cluster.remove(challengeInstances, metadata.name)
      const operator = await cluster.startOperator()
      await cluster.waitUntilDeleted(metadata.name)
      await operator.stop()
    } finally {
      await cluster.close()
    }
  })

  it('removes a flag’s Secret after its instance ended, even if the instance could not become the owner', async () => {
    const cluster = await createTestCluster()
    const proxy = await startFaultProxy(cluster.access, ({ method, path }) =>
      method === 'PATCH' && path.includes('/secrets/') ? 500 : undefined,
    )
    try {
      const operator = await cluster.startOperator({ access: proxy.access })
      const { metadata } = await cluster.create({}, { flag: 'flag{seen}' })
      await waitForValue('its pod exists', () => cluster.find(pods, metadata.name))
      await cluster.remove(challengeInstances, metadata.name)
      // The operator could not make the instance the owner, so garbage collection does not remove the Secret.
      await cluster.waitUntilDeleted(metadata.name)
      await operator.stop()
    } finally {
      await proxy.close()
      await cluster.close()
    }
  })

  const shifted = (byMs: number): Clock => ({ ...systemClock, now: () => new Date(systemClock.now().getTime() + byMs) })

  it.each([
    ['ahead', 600_000],
    ['behind', -600_000],
  ])('ends instances on time if its clock is ten minutes %s', async (_, byMs) => {
    const cluster = await createTestCluster()
    try {
      const operator = await cluster.startOperator({ clock: shifted(byMs) })
      const { metadata } = await cluster.create()
      await cluster.waitForReason(metadata.name, 'Ready')
      const endsAtMs = await cluster.setEnd(metadata.name, 10_000)
      await cluster.waitUntilDeleted(metadata.name)
      const lateMs = (await cluster.waitForEvent(metadata.uid, 'Expired')) - endsAtMs
      // Accept an end that is up to two seconds early, because the operator reads the API server's clock in whole seconds.
      expect(lateMs).toBeGreaterThan(-2000)
      // The operator's clock is wrong by `byMs`. If the operator used this clock, the end could be late by the same amount.
      expect(lateMs).toBeLessThan(Math.abs(byMs))
      await operator.stop()
    } finally {
      await cluster.close()
    }
  })

  it('replaces all pods if they are deleted at the same time', async () => {
    const cluster = await createTestCluster()
    try {
      const operator = await cluster.startOperator()
      const created = await Promise.all(Array.from({ length: 5 }, () => cluster.create()))
      for (const { metadata } of created) await cluster.waitForReason(metadata.name, 'Ready')
      const before = new Set((await cluster.list(pods)).map(({ metadata }) => metadata.uid))
      await Promise.all(created.map(({ metadata }) => cluster.remove(pods, metadata.name)))
      await waitForValue('five new pods stand, and their instances are ready', async () => {
        const now = (await cluster.list(pods)).filter(({ metadata }) => !before.has(metadata.uid))
        return now.length === 5 ? true : undefined
      })
      for (const { metadata } of created) await cluster.waitForReason(metadata.name, 'Ready')
      await operator.stop()
    } finally {
      await cluster.close()
    }
  })
})

describe.concurrent('the operator behind a faulty connection', () => {
  /**
   * Functions by kind of fault. Each function returns true for requests in which the fault can occur. A fault without a function
   * can occur in every request.
   */
  const befalls: Record<string, (request: ProxiedRequest) => boolean> = {
    cut: ({ isWatch }) => isWatch,
    doubled: ({ isWrite }) => isWrite,
    409: ({ isWrite }) => isWrite,
    410: ({ isWatch, path }) => isWatch || path.includes('continue='),
  }
  const share = 0.4

  it.each<Fault>(['lost', 'answer lost', 'late', 'doubled', 'cut', 409, 410, 429, 500])(
    'repairs all objects even if four of ten requests have the fault %s',
    async (fault) => {
      const cluster = await createTestCluster()
      let isFaulty = false
      let befallen = 0
      const random = createSeededRandom(7)
      const can = befalls[fault] ?? (() => true)
      const proxy = await startFaultProxy(cluster.access, (request) => {
        if (!isFaulty || request.path.includes('/leases') || !can(request) || random() > share) return undefined
        befallen += 1
        return fault
      })
      try {
        const operator = await cluster.startOperator({ access: proxy.access })
        isFaulty = true
        proxy.cutWatches()
        const survivor = await cluster.create({}, { flag: 'flag{kept}' })
        const ended = await cluster.create({}, { flag: 'flag{ended}' })
        await cluster.waitForReason(survivor.metadata.name, 'Ready')
        await cluster.remove(pods, survivor.metadata.name)
        await expectInstanceEnds(cluster, ended.metadata.name)
        await waitForValue('the fault befell something', async () => (befallen > 0 ? true : undefined))
        isFaulty = false
        await expectInstanceConverged(cluster, operator, survivor.metadata.name)
        await expectNoOrphans(cluster)
        await expectInstanceEnds(cluster, survivor.metadata.name)
        await operator.stop()
      } finally {
        await proxy.close()
        await cluster.close()
      }
    },
  )

  it('after a lost connection to the API server, the operator processes all missed changes', async () => {
    const cluster = await createTestCluster()
    let isAway = false
    const proxy = await startFaultProxy(cluster.access, () => (isAway ? 'lost' : undefined))
    try {
      const operator = await cluster.startOperator({ access: proxy.access })
      const survivor = await cluster.create({}, { flag: 'flag{kept}' })
      const ended = await cluster.create({}, { flag: 'flag{ended}' })
      const { status } = await cluster.waitForReason(survivor.metadata.name, 'Ready')
      await cluster.waitForReason(ended.metadata.name, 'Ready')
      isAway = true
      expect(proxy.cutWatches()).toBeGreaterThan(0)
      await cluster.remove(networkPolicies, survivor.metadata.name)
      await cluster.remove(challengeInstances, ended.metadata.name)
      const late = await cluster.create({}, { flag: 'flag{late}' })
      expect(await sendLineAndReadReply(status?.address?.host ?? '', 1337, 'flag')).toBe('flag{kept}')
      isAway = false
      await cluster.waitForReason(late.metadata.name, 'Ready')
      await cluster.waitUntilDeleted(ended.metadata.name)
      await expectInstanceConverged(cluster, operator, survivor.metadata.name)
      await operator.stop()
    } finally {
      await proxy.close()
      await cluster.close()
    }
  })
})

/**
 * Numbers of the rounds. In round n, the operator is killed after its n-th write. There are more rounds than writes, so the last
 * rounds end without a kill. Rounds without a kill prove that the other rounds cover every write.
 */
const rounds = Array.from({ length: 16 }, (_, index) => index + 1)
const survived: number[] = []

describe.concurrent('the operator killed with -9', () => {
  it.each(rounds)('the next operator repairs all faults that a kill at write number %i leaves', async (last) => {
    const cluster = await createTestCluster()
    let killed: Promise<void> | undefined
    const proxy = await startFaultProxy(
      cluster.access,
      () => undefined,
      ({ isWrite }) => {
        // Delay the response until the process has ended, so that the process never receives the response.
        if (isWrite && proxy.writes() >= last) killed ??= first.kill()
        return killed
      },
    )
    const first = await startOperatorProcess(proxy.access.server, cluster.environment())
    try {
      const { metadata } = await cluster.create({ exposure: 'NodePort' }, { flag: 'flag{kept}' })
      const find = () => cluster.find(challengeInstances, metadata.name)
      await waitForValue('the instance is ready, or the operator was killed', async () => {
        const ready = findCondition((await find())?.status?.conditions, 'Ready')
        return killed !== undefined || ready?.status === 'True' ? true : undefined
      })
      if (!killed) {
        await cluster.remove(challengeInstances, metadata.name)
        await waitForValue('the instance is gone, or the operator was killed', async () => {
          const pod = await cluster.find(pods, metadata.name)
          return killed !== undefined || pod === undefined ? true : undefined
        })
      }
      if (!killed) survived.push(last)
      await (killed ?? first.kill())
      const successor = await cluster.startOperator()
      if (await find()) {
        await expectInstanceConverged(cluster, successor, metadata.name)
        await expectInstanceEnds(cluster, metadata.name)
      }
      await cluster.waitUntilDeleted(metadata.name)
      await expectNoOrphans(cluster)
      await successor.stop()
    } finally {
      await first.kill()
      await proxy.close()
      await cluster.close()
    }
  })
})

describe('the rounds in which the operator is killed', () => {
  it('the test has enough rounds to kill the operator once after each write', () => {
    expect(survived).toContain(rounds.at(-1))
  })
})
