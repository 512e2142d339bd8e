import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { InstanceSpec, ObservedInstance } from '../../instances/lifecycle/runtime.ts'

/** Request of an api process to the instance host. The response has the same number. */
export type HostRequest =
  | Readonly<{ kind: 'create'; request: number; spec: InstanceSpec }>
  | Readonly<{ kind: 'extend'; request: number; id: string; expiresAt: Date }>
  | Readonly<{ kind: 'delete'; request: number; id: string }>

/** Message of the host. The host first sends all objects. Then it sends each change, and `done` for each finished request. */
export type HostMessage =
  | Readonly<{ kind: 'all'; objects: readonly ObservedInstance[] }>
  | Readonly<{ kind: 'changed'; id: string; object: ObservedInstance | undefined }>
  | Readonly<{ kind: 'done'; request: number }>

const startingMs = 20

/**
 * Creates a simulated cluster for instances. Its objects outlive the api processes.
 * @param whenReady resolves when a new instance accepts connections
 */
export function createInstanceHost(whenReady: () => Promise<unknown> = () => delay(startingMs * Math.random())) {
  const objects = new Map<string, ObservedInstance>()
  let api: ChildProcess | undefined

  const tell = (message: HostMessage): void => {
    if (api?.connected) api.send(message, () => {})
  }
  const set = (id: string, object: ObservedInstance | undefined): void => {
    if (object) objects.set(id, object)
    else objects.delete(id)
    tell({ kind: 'changed', id, object })
  }
  const create = async ({ id, expiresAt, containers: [{ port }] }: InstanceSpec): Promise<void> => {
    if (objects.has(id)) return
    set(id, { id, expiresAt, state: { kind: 'pending', reason: 'Starting', message: 'Starting' } })
    await whenReady()
    if (objects.has(id)) set(id, { id, expiresAt, state: { kind: 'ready', host: '127.0.0.1', port } })
  }
  const answer = (message: HostRequest): void => {
    if (message.kind === 'create') void create(message.spec)
    else if (message.kind === 'delete') set(message.id, undefined)
    else {
      const object = objects.get(message.id)
      if (object) set(message.id, { ...object, expiresAt: message.expiresAt })
    }
    tell({ kind: 'done', request: message.request })
  }

  return {
    objects,
    /** Connects the host with a new api process, which replaces the previous api process. */
    serve(child: ChildProcess): void {
      api = child
      child.on('message', (message: HostRequest | { kind: 'hello' } | { kind: 'listening' }) => {
        if (message.kind === 'hello') tell({ kind: 'all', objects: [...objects.values()] })
        else if (message.kind !== 'listening') answer(message)
      })
    },
  }
}
