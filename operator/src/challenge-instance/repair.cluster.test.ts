import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import { readyReasons } from '@capstan/challenge-instance/reasons'
import { networkPolicies, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestCluster, sendLineAndReadReply, type TestCluster, waitForValue } from '../testing/cluster.ts'
import { followInstance } from '../testing/follow-instance.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await createTestCluster()
  await cluster.startOperator()
})
afterAll(() => cluster?.close())

async function ready(spec: Partial<ChallengeInstanceSpec> = {}) {
  const { metadata } = await cluster.create(spec, { flag: 'flag{x}' })
  return cluster.waitForReason(metadata.name, 'Ready')
}

/** Records every message of the condition Ready from now on, because players could see even a message that is soon replaced. */
function followMessages(metadata: ChallengeInstance['metadata']) {
  return followInstance(cluster, metadata, ({ status }) => findCondition(status?.conditions, 'Ready')?.message)
}
function replaced(name: string, what: string) {
  return waitForValue(what, async () => {
    const found = await cluster.find(challengeInstances, name)
    return found?.status?.restarts === 1 && found.status.conditions?.[0]?.status === 'True' ? found : undefined
  })
}

describe.concurrent('the operator', () => {
  it('replaces a deleted pod', async () => {
    const { metadata, status } = await ready()
    const before = await cluster.find(pods, metadata.name)
    await cluster.remove(pods, metadata.name)
    await waitForValue('there is another pod', async () => {
      const pod = await cluster.find(pods, metadata.name)
      return pod && pod.metadata.uid !== before?.metadata.uid ? pod : undefined
    })
    const again = await waitForValue('the instance is ready with the new pod', async () => {
      const pod = await cluster.find(pods, metadata.name)
      const instance = await cluster.find(challengeInstances, metadata.name)
      return pod?.status?.podIP && instance?.status?.address?.host === pod.status.podIP ? instance : undefined
    })
    const isReady = await cluster.waitForReason(metadata.name, 'Ready')
    expect(isReady.status?.startedAt).toBe(status?.startedAt)
    expect(await sendLineAndReadReply(again.status!.address!.host, 1337, 'flag')).toBe('flag{x}')
  })

  it.each([services, networkPolicies])('replaces a deleted $kind', async (resource) => {
    const { metadata } = await ready({ exposure: 'NodePort' })
    const before = await cluster.find(resource, metadata.name)
    await cluster.remove(resource, metadata.name)
    const after = await waitForValue(`there is another ${resource.kind}`, async () => {
      const found = await cluster.find(resource, metadata.name)
      return found && found.metadata.uid !== before?.metadata.uid ? found : undefined
    })
    expect(after.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid)
  })

  it('deletes an unneeded service of an earlier operator, and retains the pod', async () => {
    const { metadata, status } = await ready()
    const pod = await cluster.find(pods, metadata.name)
    await cluster.client.create(services, cluster.namespace, {
      apiVersion: services.apiVersion,
      kind: services.kind,
      metadata: {
        name: metadata.name,
        namespace: cluster.namespace,
        ownerReferences: pod?.metadata.ownerReferences,
      },
      spec: { selector: { [instanceLabel]: metadata.name }, ports: [{ port: 1337 }] },
    })
    await waitForValue('the service is gone', async () =>
      (await cluster.find(services, metadata.name)) === undefined ? true : undefined,
    )
    expect((await cluster.find(pods, metadata.name))?.metadata.uid).toBe(pod?.metadata.uid)
    expect(await sendLineAndReadReply(status!.address!.host, 1337, 'flag')).toBe('flag{x}')
  })

  it('repairs a network policy that another client extended', async () => {
    const { metadata } = await ready()
    await cluster.client.patchJson(networkPolicies, cluster.namespace, metadata.name, [
      { op: 'replace', path: '/spec/ingress', value: [{}] },
    ])
    await waitForValue('the policy names its source again', async () =>
      JSON.stringify(await cluster.find(networkPolicies, metadata.name)).includes('namespaceSelector') ? true : undefined,
    )
  })

  it('counts in the status each restart of a container by the kubelet', async () => {
    const { metadata, status } = await ready()
    await expect(sendLineAndReadReply(status!.address!.host, 1337, 'exit')).rejects.toThrow('closed')
    const instance = await waitForValue('one restart is counted and it is ready', async () => {
      const found = await cluster.find(challengeInstances, metadata.name)
      return found?.status?.restarts === 1 && found.status.conditions?.[0]?.status === 'True' ? found : undefined
    })
    expect(instance.status?.address).toEqual(status?.address)
  })

  it('replaces an evicted pod', async () => {
    const { metadata } = await cluster.create({ resources: { cpuTenths: 10, memoryMb: 256, storageMb: 32, pids: 64 } })
    const { metadata: now, status } = await cluster.waitForReason(metadata.name, 'Ready')
    const pod = await cluster.find(pods, metadata.name)
    const { seen, end } = followMessages(now)
    expect(await sendLineAndReadReply(status!.address!.host, 1337, 'fill')).toBe('filled')
    // Wait long enough for the kubelet, which checks the storage about every ten seconds.
    const instance = await replaced(metadata.name, 'it was evicted, replaced and is ready again')
    // Accept the messages of an eviction and of a failure, because the kubelet may report no eviction if the container ends
    // cleanly.
    await waitForValue('players saw the reason', () =>
      Promise.resolve(seen.has(readyReasons.Evicted.message) || seen.has(readyReasons.PodFailed.message) || undefined),
    )
    end()
    expect((await cluster.find(pods, metadata.name))?.metadata.uid).not.toBe(pod?.metadata.uid)
    expect(await sendLineAndReadReply(instance.status!.address!.host, 1337, 'hello')).toBe('hello')
  })

  it('replaces a failed pod', async () => {
    const { metadata } = await ready()
    const { seen, end } = followMessages(metadata)
    await cluster.client.patchJson(pods, cluster.namespace, metadata.name, [
      { op: 'add', path: '/spec/activeDeadlineSeconds', value: 1 },
    ])
    await replaced(metadata.name, 'its pod was ended, replaced and is ready again')
    await waitForValue('players saw the reason', () => Promise.resolve(seen.has(readyReasons.PodFailed.message) || undefined))
    end()
  })

  it('reverts changes that were made while no operator was running', async () => {
    const away = await createTestCluster()
    try {
      const first = await away.startOperator()
      const { metadata } = await away.create({}, { flag: 'flag{x}' })
      await away.waitForReason(metadata.name, 'Ready')
      await first.stop()
      await away.remove(networkPolicies, metadata.name)
      const expired = await away.create({ expiresAt: new Date(Date.now() - 1000).toISOString() })
      const second = await away.startOperator()
      await waitForValue('the policy is back', () => away.find(networkPolicies, metadata.name))
      await away.waitUntilDeleted(expired.metadata.name)
      await second.stop()
    } finally {
      await away.close()
    }
  })

  it('starts an instance only after the label of its flag’s Secret contains the name of the instance', async () => {
    const name = 'ci-stranger'
    await cluster.client.create(secrets, cluster.namespace, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: cluster.namespace },
      stringData: { flag: 'flag{foreign}' },
    })
    await cluster.create({ flag: { secretName: name, environmentNames: ['FLAG'] } }, { name })
    await cluster.waitForReason(name, 'FlagMissing')
    expect(await cluster.find(pods, name)).toBeUndefined()
    await cluster.client.patchJson(secrets, cluster.namespace, name, [
      { op: 'add', path: '/metadata/labels', value: { [instanceLabel]: name } },
    ])
    await cluster.waitForReason(name, 'Ready')
  })

  it('starts an instance after a foreign object with the same name is deleted, and never adopts that object', async () => {
    const name = 'ci-taken'
    await cluster.client.create(services, cluster.namespace, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: cluster.namespace, labels: { mine: 'yes' } },
      spec: { ports: [{ port: 80 }] },
    })
    await cluster.create({ exposure: 'NodePort' }, { name })
    await cluster.waitForReason(name, 'NameTaken')
    expect((await cluster.find(services, name))?.metadata.ownerReferences).toBeUndefined()
    await cluster.remove(services, name)
    await cluster.waitForReason(name, 'Ready')
  })
})
