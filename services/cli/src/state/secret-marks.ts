import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { sha256 } from './digest.ts'

/**
 * The platform tells nobody what secret variables hold. So that a plan sees which of them differ from the environment, a mark of each
 * value that was applied is remembered: salted, and slow to guess by.
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

/** What is remembered of the secrets of a challenge. */
export function marksIn(remembered: Remembered): Record<string, string> {
  return Object.fromEntries(Object.entries(remembered).filter(([field]) => field.startsWith(prefix)))
}

/**
 * Compares the environment with what is remembered.
 *
 * @param names secrets of the challenge
 * @param values those whose values are known here
 * @returns marks that still hold, and makes those of values that are new
 */
export function compareSecrets(names: readonly string[], values: ReadonlyMap<string, string>, remembered: Remembered) {
  const kept: Record<string, string> = {}
  const changed: [field: string, value: string][] = []
  for (const name of names) {
    const field = fieldOf(name)
    const mark = Object.hasOwn(remembered, field) ? remembered[field] : undefined
    const value = values.get(name)
    if (value !== undefined && (mark === undefined || !isOf(mark, value))) changed.push([field, value])
    else if (mark !== undefined) kept[field] = mark
  }
  return {
    hasChanged: changed.length > 0,
    kept,
    marked: (): Record<string, string> => ({
      ...kept,
      ...Object.fromEntries(changed.map(([field, value]) => [field, markOf(value)])),
    }),
  }
}
