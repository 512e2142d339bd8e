import { randomUUID } from 'node:crypto'
import type { AdditionalContainerSpec, EntryContainerSpec, InstanceSpec } from '../runtime.ts'

const smallContainer = { image: 'echo:1', cpuTenths: 1, memoryMb: 64, storageMb: 64, definition: {}, secrets: {} } as const

/** Returns a small entry container that gets the flag and has no special settings. */
export function anEntryContainer(values: Partial<EntryContainerSpec> = {}): EntryContainerSpec {
  return { ...smallContainer, port: 1337, receivesFlag: true, ...values }
}

/** Returns a small additional container without ports and flag. */
export function anAdditionalContainer(name: string, values: Partial<AdditionalContainerSpec> = {}): AdditionalContainerSpec {
  return { ...smallContainer, name, receivesFlag: false, ...values }
}

/** Returns the specification of a small team instance that has one container and runs for ten minutes. */
export function anInstanceSpec(values: Partial<InstanceSpec> = {}): InstanceSpec {
  return {
    id: randomUUID(),
    gameId: 1,
    challengeId: 2,
    participationId: 3,
    teamId: 4,
    flag: 'flag{x}',
    containers: [anEntryContainer()],
    expiresAt: new Date(Date.now() + 600_000),
    capture: false,
    ...values,
  }
}
