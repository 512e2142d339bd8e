import { ContainerLimits, InstanceLimits } from '@capstan/contract/limits'
import { toText } from '../record.ts'
import type { Fields } from './fields.ts'

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
 * @returns undefined if the quantity is invalid
 */
export function parseQuantity(value: unknown): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,9})?)([a-zA-Z]{0,2})$/.exec(toText(value).trim())
  const factor = match === null ? undefined : suffixes[match[2] ?? '']
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

const { minCpuTenths, maxCpuTenths, minMemoryMb, maxMemoryMb, minStorageMb, maxStorageMb } = InstanceLimits

/** Rounds up a number of cores to steps of 0.1, within the limits of an instance. */
export function toCores(cores: number): number {
  return between(Math.ceil(cores * 10 - 1e-9), minCpuTenths, maxCpuTenths) / 10
}

/** Converts bytes to MB (2^20), rounded up, within the limits of an instance. */
export function toMemoryMb(bytes: number): number {
  return between(Math.ceil(bytes / 2 ** 20), minMemoryMb, maxMemoryMb)
}

const tolerance = 1e-6

/** Reports a number that was replaced by another number. */
function noteChange(fields: Fields, key: string, given: number, used: number, range: string): void {
  if (Math.abs(given - used) > tolerance) fields.note(key, 'converted', `An instance has ${range}, so the value becomes ${used}.`)
}

/** Converts the CPU cores of a field to the cores of an instance, and reports a change. */
export function limitCores(fields: Fields, key: string, cores: number): number {
  const used = toCores(cores)
  noteChange(fields, key, cores, used, `${minCpuTenths / 10} to ${maxCpuTenths / 10} cores in steps of 0.1`)
  return used
}

/** Converts the bytes of a field to the memory of an instance in MB, and reports a change. */
export function limitMemoryMb(fields: Fields, key: string, bytes: number): number {
  const used = toMemoryMb(bytes)
  noteChange(fields, key, bytes / 2 ** 20, used, `a whole number of MB of memory from ${minMemoryMb} to ${maxMemoryMb}`)
  return used
}

/** Converts the disk size of a field to the disk size of an instance in MB, and reports a change. */
export function limitStorageMb(fields: Fields, key: string, megabytes: number): number {
  const used = between(Math.ceil(megabytes), minStorageMb, maxStorageMb)
  noteChange(fields, key, megabytes, used, `a whole number of MB of disk from ${minStorageMb} to ${maxStorageMb}`)
  return used
}

/** Converts the bytes of a field to the size of a writable folder in MB, and reports a change. */
export function limitWritableMb(fields: Fields, key: string, bytes: number): number {
  const { minWritableMb } = ContainerLimits
  const used = between(Math.ceil(bytes / 2 ** 20), minWritableMb, maxStorageMb)
  noteChange(
    fields,
    key,
    bytes / 2 ** 20,
    used,
    `writable folders with a whole number of MB from ${minWritableMb} to ${maxStorageMb}`,
  )
  return used
}
