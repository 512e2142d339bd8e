import { parseComposeBytes } from '../compose/quantities.ts'
import { toCores, toMemoryMb } from '../importers/quantities.ts'

/** Limits of a pod that replace the limits of a jail. */
export type JailLimits = Readonly<{ memoryMb?: number; cpu?: number }>

/** Number of simultaneous connections for which the memory of a pod must suffice. */
const concurrentConnections = 4

/** Converts `JAIL_MEM` in bytes and `JAIL_CPU` in ms per second. Both limits are for one connection, and 0 means unlimited. */
export function limitsOfJail(environment: ReadonlyMap<string, string>): JailLimits {
  const bytes = parseComposeBytes(environment.get('JAIL_MEM')) ?? 0
  const cpu = environment.get('JAIL_CPU') ?? ''
  const msPerSecond = /^\d{1,7}$/.test(cpu) ? Number(cpu) : 0
  return {
    ...(bytes > 0 && { memoryMb: toMemoryMb(bytes * concurrentConnections) }),
    ...(msPerSecond > 0 && { cpu: toCores(msPerSecond / 1_000) }),
  }
}

export function describeJailLimits({ memoryMb, cpu }: JailLimits): string {
  const parts = [
    ...(memoryMb === undefined ? [] : [`${memoryMb} MB of memory, enough for ${concurrentConnections} connections of the jail`]),
    ...(cpu === undefined ? [] : [`${cpu} cores`]),
  ]
  return `The limits of the jail become the limits of the container: ${parts.join(', and ')}.`
}
