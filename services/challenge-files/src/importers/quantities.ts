import { InstanceLimits } from '@capstan/contract/limits'
import { toText } from '../record.ts'

const suffixes: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
}

/**
 * Parses a quantity in the format of Kubernetes, such as `100m`, `1.5` or `200Mi`.
 * @returns undefined if it is invalid
 */
export function parseQuantity(value: unknown): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,9})?)([a-zA-Z]{0,2})$/.exec(toText(value).trim())
  const factor = match === null ? undefined : suffixes[match[2] ?? '']
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor
}

/** True if the number of CPU cores is above the limit of an instance. */
export function isAboveMaxCpu(cores: number): boolean {
  return cores > InstanceLimits.maxCpuTenths / 10
}

/** True if the memory is below the minimum or above the maximum of an instance. */
export function isOutsideMemoryLimits(bytes: number): boolean {
  const memoryMb = Math.ceil(bytes / 2 ** 20)
  return memoryMb < InstanceLimits.minMemoryMb || memoryMb > InstanceLimits.maxMemoryMb
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

export function toCores(cores: number): number {
  return between(Math.ceil(cores * 10 - 1e-9), InstanceLimits.minCpuTenths, InstanceLimits.maxCpuTenths) / 10
}

/** Converts bytes to MB (2^20), rounded up, within the limits of an instance. */
export function toMemoryMb(bytes: number): number {
  return between(Math.ceil(bytes / 2 ** 20), InstanceLimits.minMemoryMb, InstanceLimits.maxMemoryMb)
}

/** Rounds up a disk size in MB, and limits it to the range that an instance may have. */
export function clampStorageMb(megabytes: number): number {
  return between(Math.ceil(megabytes), InstanceLimits.minStorageMb, InstanceLimits.maxStorageMb)
}
