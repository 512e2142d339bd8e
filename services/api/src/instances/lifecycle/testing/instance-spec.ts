import { randomUUID } from 'node:crypto'
import type { InstanceSpec } from '../runtime.ts'

/** Returns a small instance of a team without special settings, with ten minutes to live. */
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
