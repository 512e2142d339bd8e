import type { InstanceDeps } from '../instances/deps.ts'
import type { Passwords } from './accounts/password.ts'

export type PeopleDeps = InstanceDeps &
  Readonly<{
    passwords: Passwords
  }>
