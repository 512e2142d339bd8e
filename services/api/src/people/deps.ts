import type { InstanceDeps } from '../instances/deps.ts'
import type { Passwords } from './accounts/password.ts'

export interface PeopleDeps extends InstanceDeps {
  readonly passwords: Passwords
}
