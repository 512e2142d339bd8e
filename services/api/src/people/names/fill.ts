import type { Database } from '@capstan/db/client'
import { computeUniqueNameKeys, type NameKeys, nameKinds } from './keys.ts'
import { createNameRepository, type NameOwners, type NameRow, nameOwners } from './repository.ts'

const rowsAtOnce = 500
/** Maximum number of attempts for a batch. A batch fails and is retried if a concurrent registration takes a key of the batch. */
const maxAttempts = 5

type Kind = keyof NameKeys

/**
 * Returns the new keys of one kind, as a map from row id to key. If another row already uses a key, the row id is appended to the
 * key.
 */
async function settle(
  names: ReturnType<typeof createNameRepository>,
  rows: readonly NameRow[],
  kind: Kind,
): Promise<Map<string, string>> {
  const wanted = new Map(rows.map((row) => [row.id, computeUniqueNameKeys(row.name)[kind]]))
  const unsettled = rows.filter((row) => row[kind] !== wanted.get(row.id))
  const existing = await names.listExisting(
    kind,
    unsettled.map((row) => wanted.get(row.id) ?? ''),
  )
  const taken = new Set(existing)
  const settled = new Map<string, string>()
  for (const { id, [kind]: present } of unsettled) {
    const key = wanted.get(id) ?? ''
    const given = taken.has(key) ? `${key} ${id}` : key
    taken.add(given)
    if (given !== present) settled.set(id, given)
  }
  return settled
}

/** Updates the keys of the next batch of rows. @returns the last row of the batch, or undefined at the end */
function fillBatch(db: Database, owners: NameOwners, after: NameRow | undefined): Promise<NameRow | undefined> {
  return db.transaction(async (transaction) => {
    const names = createNameRepository(transaction, owners)
    await names.lock()
    const rows = await names.list(after, rowsAtOnce)
    const settled = new Map<Kind, Map<string, string>>()
    for (const kind of nameKinds) settled.set(kind, await settle(names, rows, kind))
    const changed = rows.filter(({ id }) => nameKinds.some((kind) => settled.get(kind)?.has(id)))
    const keyOf = (kind: Kind, row: NameRow) => settled.get(kind)?.get(row.id) ?? row[kind]
    if (changed.length > 0)
      await names.write(
        changed.map((row) => ({
          id: row.id,
          name: row.name,
          skeleton: keyOf('nameSkeleton', row),
          shape: keyOf('nameShape', row),
          reading: keyOf('nameReading', row),
        })),
      )
    return rows.length < rowsAtOnce ? undefined : rows.at(-1)
  })
}

/** SQLSTATEs of errors that a retry may avoid: a unique violation and a deadlock. */
const transientCodes = new Set<unknown>(['23505', '40P01'])

function isTransient(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if ('code' in current && transientCodes.has(current.code)) return true
  return false
}

/**
 * Updates the keys that detect look-alike names. Only the oldest of several look-alike names blocks new look-alike names. Every
 * replica calls this function at startup and every hour.
 */
export async function fillUniqueNameKeys({ db }: { readonly db: Database }): Promise<void> {
  for (const owners of nameOwners) {
    let after: NameRow | undefined
    for (let attempt = 1; ; ) {
      try {
        after = await fillBatch(db, owners, after)
        attempt = 1
        if (!after) break
      } catch (error) {
        if (!isTransient(error) || attempt >= maxAttempts) throw error
        attempt += 1
      }
    }
  }
}
