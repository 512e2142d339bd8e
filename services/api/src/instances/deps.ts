import type { ServerDeps } from '../server/deps.ts'
import type { InstanceRuntime } from './lifecycle/runtime.ts'

export interface InstanceDeps extends ServerDeps {
  readonly runtime: InstanceRuntime
}
