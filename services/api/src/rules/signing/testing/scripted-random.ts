import type { Random } from '../random.ts'

/** Deterministic source of randomness: every choice is the last option, UUIDs count up from 1, and all bytes are `byte`. */
export function scriptedRandom({ pick = (max: number) => max - 1, byte = 'ab' } = {}): Random {
  let uuids = 0
  return {
    int: pick,
    uuid: () => {
      uuids += 1
      return `00000000-0000-4000-8000-${String(uuids).padStart(12, '0')}`
    },
    hex: (bytes) => byte.repeat(bytes),
  }
}
