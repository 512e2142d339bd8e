import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { instanceIdLabel } from '@capstan/challenge-instance/labels'
import { instanceName } from '@capstan/challenge-instance/names'

/** An instance that runs. */
export type RunningInstance = Readonly<{
  id: string
  expiresAt: Date
}>

const namespace = 'capstan-instances'

function asObject({ id, expiresAt }: RunningInstance, index: number) {
  const host = `10.${64 + Math.floor(index / 65_536)}.${Math.floor(index / 256) % 256}.${index % 256}`
  const now = new Date().toISOString()
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: '',
    lastTransitionTime: now,
    observedGeneration: 1,
  }
  return {
    apiVersion: challengeInstances.apiVersion,
    kind: challengeInstances.kind,
    metadata: {
      name: instanceName(id),
      namespace,
      uid: id,
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: now,
      labels: { [instanceIdLabel]: id },
      finalizers: [],
    },
    spec: {
      image: 'registry.example.org/ctf/challenge:1',
      port: 80,
      expiresAt: expiresAt.toISOString(),
      resources: { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 },
    },
    status: { observedGeneration: 1, restarts: 0, address: { host, port: 80 }, conditions: [condition] },
  }
}

/**
 * As much of an API server as an api asks: it lists the instances, takes every write and changes nothing. It costs the api what a
 * cluster with these instances costs it while none starts or ends.
 */
export async function startFakeApiServer(instances: readonly RunningInstance[]) {
  const body = JSON.stringify({ metadata: { resourceVersion: '1' }, items: instances.map(asObject) })
  const server = createServer((request, response) => {
    const { method, url = '' } = request
    response.setHeader('content-type', 'application/json')
    if (method !== 'GET') response.end('{}')
    else if (url.includes('watch=')) response.flushHeaders()
    else response.end(url.includes(challengeInstances.plural) ? body : '{"metadata":{"resourceVersion":"1"},"items":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const kubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fake', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'fake', user: {} }],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake', namespace } }],
    'current-context': 'fake',
  })
  return {
    kubeconfig,
    namespace,
    stop: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
