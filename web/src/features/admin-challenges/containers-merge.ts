import type { TypedContainer } from './containers-form.ts'

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * Merges the changes of two users to one container.
 * @returns undefined if both users changed the same field differently
 */
function mergeContainer(base: TypedContainer, mine: TypedContainer, theirs: TypedContainer): TypedContainer | undefined {
  const fields = Object.keys(base) as (keyof TypedContainer)[]
  const isContested = (field: keyof TypedContainer) =>
    !isSame(base[field], mine[field]) && !isSame(base[field], theirs[field]) && !isSame(mine[field], theirs[field])
  if (fields.some(isContested)) return undefined
  return Object.fromEntries(
    fields.map((field) => [field, isSame(base[field], mine[field]) ? theirs[field] : mine[field]]),
  ) as TypedContainer
}

/**
 * Merges the changes of two users to the containers of a challenge, field by field.
 * @returns undefined if the other user added, removed, renamed or moved a container, or if both users changed the same field
 * differently
 */
export function mergeContainers(
  base: readonly TypedContainer[],
  mine: readonly TypedContainer[],
  theirs: readonly TypedContainer[],
): readonly TypedContainer[] | undefined {
  const isSameList = isSame(
    base.map(({ key }) => key),
    theirs.map(({ key }) => key),
  )
  const isRemovalContested = base.some(
    ({ key }, index) => !isSame(base[index], theirs[index]) && !mine.some((each) => each.key === key),
  )
  if (!isSameList || isRemovalContested) return undefined
  const merged = mine.flatMap((own) => {
    const at = base.findIndex(({ key }) => key === own.key)
    const [before, after] = [base[at], theirs[at]]
    return before && after ? (mergeContainer(before, own, after) ?? []) : own
  })
  return merged.length === mine.length ? merged : undefined
}
