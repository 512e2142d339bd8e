import { randomUUID } from 'node:crypto'
import type { InstanceSpec } from '../runtime.ts'

/** Returns the specification of a small team instance that has no special settings and runs for ten minutes. */
export function anInstanceSpec(values: Partial<InstanceSpec> = {}): InstanceSpec {
  return {
    id: randomUUID(),
    gameId: 1,
    challengeId: 2,
    participationId: 3,
    teamId: 4,
    image: 'echo:1',
    port: 1337,
    cpuTenths: 1,
    memoryMb: 64,
    storageMb: 64,
    container: {},
    secrets: {},
    flag: 'flag{x}',
    expiresAt: new Date(Date.now() + 600_000),
    capture: false,
    ...values,
  }
}
