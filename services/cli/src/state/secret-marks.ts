import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { sha256 } from './digest.ts'

/**
 * The platform never returns the values of secret variables. It stores a salted hash ("mark") of each applied value, so that a
 * plan can show which values differ. A mark is slow to compute, so values are hard to guess.
 */

const saltBytes = 8
const hashBytes = 24

const prefix = 'secret-'

function fieldOf(name: string): string {
  return `${prefix}${sha256(name).slice(0, 16)}`
}

function markOf(value: string, salt = randomBytes(saltBytes)): string {
  return salt.toString('hex') + scryptSync(value, salt, hashBytes).toString('hex')
}

function isOf(mark: string, value: string): boolean {
  const bytes = Buffer.from(mark, 'hex')
  if (bytes.length !== saltBytes + hashBytes) return false
  return timingSafeEqual(bytes.subarray(saltBytes), scryptSync(value, bytes.subarray(0, saltBytes), hashBytes))
}

type Remembered = Readonly<Record<string, string>>

export function pickStoredSecretMarks(remembered: Remembered): Record<string, string> {
  return Object.fromEntries(Object.entries(remembered).filter(([field]) => field.startsWith(prefix)))
}

/**
 * Compares the known values of secrets with their stored marks (keyed hashes).
 * @param names secrets of the challenge
 * @param values secrets whose values are known on this machine
 * @returns marks that still match, and new marks for changed values
 */
export function compareSecrets(names: readonly string[], values: ReadonlyMap<string, string>, remembered: Remembered) {
  const unchanged: Record<string, string> = {}
  const changed: [field: string, value: string][] = []
  for (const name of names) {
    const field = fieldOf(name)
    const mark = Object.hasOwn(remembered, field) ? remembered[field] : undefined
    const value = values.get(name)
    if (value !== undefined && (mark === undefined || !isOf(mark, value))) changed.push([field, value])
    else if (mark !== undefined) unchanged[field] = mark
  }
  return {
    hasChanged: changed.length > 0,
    kept: unchanged,
    marked: (): Record<string, string> => ({
      ...unchanged,
      ...Object.fromEntries(changed.map(([field, value]) => [field, markOf(value)])),
    }),
  }
}
