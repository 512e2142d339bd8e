import type { InstanceDeps } from '../instances/deps.ts'
import type { Passwords } from './accounts/password.ts'
import type { ProviderClient } from './sign-in/provider-client.ts'

export type PeopleDeps = InstanceDeps &
  Readonly<{
    passwords: Passwords
    /** Client that calls identity providers. Default: a client with the settings of the process. */
    providerClient?: ProviderClient | undefined
  }>
