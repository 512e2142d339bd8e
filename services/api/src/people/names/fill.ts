import type { Database } from '@capstan/db/client'
import { type NameKeys, nameKeys, nameKinds } from './keys.ts'
import { type NameOwners, type NameRow, nameOwners, nameRepository } from './repository.ts'

const rowsAtOnce = 500
/** Somebody may take a name at the moment it is given: then the rows are looked at again. */
const attemptsMax = 5

type Kind = keyof NameKeys

/** What the keys of one kind become, by row. A key that another row has is followed by the row's id, until it is free. */
async function settle(
  names: ReturnType<typeof nameRepository>,
  rows: readonly NameRow[],
  kind: Kind,
): Promise<Map<string, string>> {
  const wanted = new Map(rows.map((row) => [row.id, nameKeys(row.name)[kind]]))
  const unsettled = rows.filter((row) => row[kind] !== wanted.get(row.id))
  const held = await names.listHeld(
    kind,
    unsettled.map((row) => wanted.get(row.id) ?? ''),
  )
  const taken = new Set(held)
  const settled = new Map<string, string>()
  for (const { id, [kind]: present } of unsettled) {
    const key = wanted.get(id) ?? ''
    const given = taken.has(key) ? `${key} ${id}` : key
    taken.add(given)
    if (given !== present) settled.set(id, given)
  }
  return settled
}

/** @returns the last row looked at, undefined at the end */
function fillSome(db: Database, owners: NameOwners, after: NameRow | undefined): Promise<NameRow | undefined> {
  return db.transaction(async (transaction) => {
    const names = nameRepository(transaction, owners)
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

/** SQLSTATEs of failures that another try may not meet: a unique violation and a deadlock. */
const transientCodes = new Set<unknown>(['23505', '40P01'])

function isTransient(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if ('code' in current && transientCodes.has(current.code)) return true
  return false
}

/**
 * Brings the keys of all names to what they should be: of rows that have none yet, that a version without them has renamed, or
 * whose keys a newer table of look-alikes makes others. Nobody's name changes. Of several that look alike the oldest has the key,
 * which keeps others from joining them. To be called at the start and every hour, by every replica.
 */
export async function fillNameKeys({ db }: { readonly db: Database }): Promise<void> {
  for (const owners of nameOwners) {
    let after: NameRow | undefined
    for (let attempt = 1; ; ) {
      try {
        after = await fillSome(db, owners, after)
        attempt = 1
        if (!after) break
      } catch (error) {
        if (!isTransient(error) || attempt >= attemptsMax) throw error
        attempt += 1
      }
    }
  }
}
