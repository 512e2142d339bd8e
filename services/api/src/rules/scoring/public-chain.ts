import type { SecretNumbers } from '../signing/board-seal.ts'
import type { ScoreRecord } from './records.ts'

/** Stored record with its id. The record may become a line of the public chain (docs/verifying.md). */
export type ChainRecord = ScoreRecord & Readonly<{ id: number }>

/** True if the board shows the value of this record. */
export function isOnBoard(record: ScoreRecord): boolean {
  if (record.kind === 'challenge') return record.value?.isShown === true
  if (record.kind === 'participation') return record.value?.status === 'Accepted'
  return record.value !== null
}

/** Returns the public part of a record. The field `order` replaces the submission id, because the id is secret. */
function publicValueOf(record: ScoreRecord, secretNumbers: SecretNumbers): Readonly<Record<string, unknown>> | null {
  if (!isOnBoard(record) || !record.value) return null
  if (record.kind === 'challenge') {
    const { isShown: _, ...value } = record.value
    return value
  }
  if (record.kind === 'participation') {
    const { status: _, ...value } = record.value
    return value
  }
  if (record.kind === 'solve' || record.kind === 'found') {
    const { submission, ...value } = record.value
    return { ...value, order: submission + secretNumbers(`time ${value.time}`) }
  }
  return record.value
}

/**
 * Returns the key of a line of the public chain. The id of a purchase would reveal how many hints teams have bought, so a secret
 * number replaces it.
 */
function publicKeyOf({ kind, key }: ScoreRecord, secretNumbers: SecretNumbers): string {
  return kind === 'hint' ? String(secretNumbers(`hint ${key}`)) : key
}

/** Sorts the fields of objects, because their order depends on the version of the database. */
function withSortedFields(_field: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** Formats a record as one line of the public chain (docs/verifying.md). */
export function chainLineOf(sequence: number, record: ScoreRecord, secretNumbers: SecretNumbers): string {
  const line = {
    ...{ sequence, time: record.time, kind: record.kind },
    ...{ key: publicKeyOf(record, secretNumbers), value: publicValueOf(record, secretNumbers) },
  }
  return JSON.stringify(line, withSortedFields)
}

export function rowKeyOf({ kind, key }: Pick<ScoreRecord, 'kind' | 'key'>): string {
  return `${kind} ${key}`
}

/**
 * Returns the id of the challenge to which the row of a record belongs.
 * @returns undefined if the row belongs to no challenge, or was deleted
 */
function challengeOf(record: ScoreRecord): string | undefined {
  if (record.value === null) return undefined
  if (record.kind === 'challenge') return record.key
  if (record.kind === 'right' || record.kind === 'solve') return record.key.slice(record.key.indexOf(' ') + 1)
  if (record.kind === 'flag' || record.kind === 'found' || record.kind === 'hint') return String(record.value.challenge)
  return undefined
}

export type ChainRules = Readonly<{
  /** Instant of the freeze, until the reveal. Records from this instant on are not public. */
  until: Date | undefined
  /** True if the challenge is not hidden by its unlock rule. */
  isListed(challengeId: string): boolean
}>

/**
 * Decides which records become public. Records of the same row retain their order. A record about a challenge waits until the
 * challenge is public. A later record of the same row replaces a waiting record.
 */
export function createChainPlan({ until, isListed }: ChainRules) {
  /** Rows that are public at present. */
  const present = new Set<string>()
  /** Latest waiting record of each row. */
  const waiting = new Map<string, ChainRecord>()
  /** Rows with a record that is not public yet because of its time. Later records of these rows wait, too. */
  const blocked = new Set<string>()
  let published: ChainRecord[] = []
  let dropped: number[] = []

  const publish = (record: ChainRecord): void => {
    published.push(record)
    const row = rowKeyOf(record)
    if (isOnBoard(record)) present.add(row)
    else present.delete(row)
  }

  const publishWaiting = (challengeId: string): void => {
    for (const [row, record] of waiting) {
      if (challengeOf(record) !== challengeId) continue
      waiting.delete(row)
      publish(record)
    }
  }

  return {
    /** Adds the rows that the database marks as public. Call this only after all earlier results are stored. */
    setPresent(rows: Iterable<string>): void {
      for (const row of rows) present.add(row)
    },
    /**
     * @param records sorted by id; later than the records of all previous calls
     * @returns the records that become public, in the order of the chain, and the ids of records that never become public
     */
    add(records: Iterable<ChainRecord>): Readonly<{ published: readonly ChainRecord[]; dropped: readonly number[] }> {
      published = []
      dropped = []
      for (const record of records) {
        const row = rowKeyOf(record)
        if (blocked.has(row)) continue
        if (until && record.time >= until.getTime()) {
          blocked.add(row)
          continue
        }
        const replaced = waiting.get(row)
        if (replaced) dropped.push(replaced.id)
        waiting.delete(row)
        if (!isOnBoard(record)) {
          if (present.has(row)) publish(record)
          else dropped.push(record.id)
          continue
        }
        const challenge = challengeOf(record)
        const isOpen =
          challenge === undefined ||
          present.has(row) ||
          present.has(`challenge ${challenge}`) ||
          (record.kind === 'challenge' && isListed(challenge))
        if (!isOpen) {
          waiting.set(row, record)
          continue
        }
        publish(record)
        if (record.kind === 'challenge') publishWaiting(record.key)
      }
      return { published, dropped }
    },
  }
}
