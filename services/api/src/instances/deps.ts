import type { ServerDeps } from '../server/deps.ts'
import type { InstanceRuntime } from './lifecycle/runtime.ts'

export type InstanceDeps = ServerDeps &
  Readonly<{
    runtime: InstanceRuntime
  }>
