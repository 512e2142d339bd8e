import process from 'node:process'
import type { InstanceRuntime, ObservedInstance } from '../../instances/lifecycle/runtime.ts'
import type { HostMessage, HostRequest } from './host.ts'

type Wish = HostRequest extends infer Each ? (Each extends HostRequest ? Omit<Each, 'request'> : never) : never

/**
 * Creates a runtime that uses the instance host in the parent process. Like the runtime of a cluster, it sends requests and watches
 * changes.
 */
export function createHostedRuntime(): InstanceRuntime {
  const waiting = new Map<number, () => void>()
  const listeners = new Set<(id: string) => void>()
  let objects: Map<string, ObservedInstance> | undefined
  let requests = 0

  const ask = (wish: Wish): Promise<void> =>
    new Promise((resolve, reject) => {
      requests += 1
      waiting.set(requests, resolve)
      process.send?.({ ...wish, request: requests }, undefined, undefined, (error) => error && reject(error))
    })
  process.on('message', (message: HostMessage) => {
    if (message.kind === 'done') {
      waiting.get(message.request)?.()
      waiting.delete(message.request)
    } else if (message.kind === 'all') {
      objects = new Map(message.objects.map((object) => [object.id, object]))
    } else {
      if (message.object) objects?.set(message.id, message.object)
      else objects?.delete(message.id)
      for (const listener of listeners) listener(message.id)
    }
  })
  process.send?.({ kind: 'hello' })

  return {
    exposure: 'Proxy',
    create: (spec) => ask({ kind: 'create', spec }),
    extend: (id, expiresAt) => ask({ kind: 'extend', id, expiresAt }),
    delete: (id) => ask({ kind: 'delete', id }),
    find: (id) => objects?.get(id),
    list: () => objects && [...objects.values()],
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => listeners.clear(),
  }
}
