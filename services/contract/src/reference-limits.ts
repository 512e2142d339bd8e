import { Type } from 'typebox'
import { nullableInteger } from './kit.ts'
import { ContainerDefaults, InstanceLimits } from './limits.ts'

/** Resource limits of a container, with the field names in the calls and packages of the reference platform. */
export const ReferenceLimits = {
  memoryLimit: Type.Integer({ format: 'int32', default: ContainerDefaults.memoryMb, description: 'MB.' }),
  cpuCount: Type.Integer({ format: 'int32', default: ContainerDefaults.cpuTenths, description: 'Tenths of a core.' }),
  storageLimit: Type.Integer({ format: 'int32', default: ContainerDefaults.storageMb, description: 'MB.' }),
}

/** Resource limits in an edit. Limits that are absent or null remain unchanged. */
export const ReferenceLimitsUpdate = {
  memoryLimit: Type.Optional(
    nullableInteger({ format: 'int32', minimum: InstanceLimits.minMemoryMb, maximum: InstanceLimits.maxMemoryMb }),
  ),
  cpuCount: Type.Optional(
    nullableInteger({ format: 'int32', minimum: InstanceLimits.minCpuTenths, maximum: InstanceLimits.maxCpuTenths }),
  ),
  storageLimit: Type.Optional(
    nullableInteger({ format: 'int32', minimum: InstanceLimits.minStorageMb, maximum: InstanceLimits.maxStorageMb }),
  ),
}

type ContainerLimits = Readonly<{
  memoryMb: number
  cpuTenths: number
  storageMb: number
}>

type NamedLimits = Readonly<{
  memoryLimit?: number | null
  cpuCount?: number | null
  storageLimit?: number | null
}>

/**
 * Converts limits to the field names of this platform. Absent limits remain absent. Raises storage to the minimum of this platform,
 * because packages may contain a lower limit.
 */
export function toContainerLimits({ memoryLimit, cpuCount, storageLimit }: NamedLimits): Partial<ContainerLimits> {
  return {
    ...(memoryLimit != null && { memoryMb: memoryLimit }),
    ...(cpuCount != null && { cpuTenths: cpuCount }),
    ...(storageLimit != null && { storageMb: Math.max(InstanceLimits.minStorageMb, storageLimit) }),
  }
}

export function toReferenceLimits({ memoryMb, cpuTenths, storageMb }: ContainerLimits) {
  return { memoryLimit: memoryMb, cpuCount: cpuTenths, storageLimit: storageMb }
}
