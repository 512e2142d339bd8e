import { setTimeout as pause } from 'node:timers/promises'
import { getBackoffMs } from '@capstan/kubernetes/backoff'
import { ApiError, type KubeClient } from '@capstan/kubernetes/client'

/** Time during which a request is repeated, in ms. */
const repeatMs = 60_000

const backoff = { firstMs: 250, capMs: 4000 }

function isTemporaryError(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 429 || error.status >= 500 || error.reason === 'Conflict'
}

async function repeat<Result>(request: () => Promise<Result>): Promise<Result> {
  const deadlineMs = performance.now() + repeatMs
  for (let failures = 1; ; failures += 1) {
    try {
      return await request()
    } catch (error) {
      if (!isTemporaryError(error) || performance.now() > deadlineMs) throw error
      await pause(getBackoffMs(backoff, failures, Math.random))
    }
  }
}

export type RepeatingClient = Pick<KubeClient, 'create' | 'delete' | 'get' | 'listPage' | 'patchJson' | 'readLog'>

/** Returns a client that repeats requests while the API server or a kubelet is busy. A busy cluster must not fail the doctor. */
export function createRepeatingClient(client: RepeatingClient): RepeatingClient {
  const get: KubeClient['get'] = (...args) => repeat(() => client.get(...args))
  return {
    get,
    listPage: (...args) => repeat(() => client.listPage(...args)),
    patchJson: (...args) => repeat(() => client.patchJson(...args)),
    delete: (...args) => repeat(() => client.delete(...args)),
    readLog: (...args) => repeat(() => client.readLog(...args)),
    async create(resource, namespace, object, options) {
      const { name } = (object as { metadata: { name: string } }).metadata
      return repeat(() => client.create(resource, namespace, object, options)).catch((error: unknown) => {
        // The name is random, so an earlier attempt of this call has created the object. Only the response to that attempt was
        // lost.
        if (error instanceof ApiError && error.reason === 'AlreadyExists') return get(resource, namespace, name)
        throw error
      }) as Promise<never>
    },
  }
}
