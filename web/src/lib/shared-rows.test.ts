import { expect, it } from 'vitest'
import { shareRows } from './shared-rows.ts'

function row(id: string, name: string, tags: readonly string[] = []) {
  return { id, team: { name }, tags, note: null }
}
function keyOf({ id }: { readonly id: string }) {
  return id
}

it('retains the list object if its content is the same', () => {
  const known = [row('a', 'Reds', ['x']), row('b', 'Blues')]
  expect(shareRows(known, structuredClone(known), keyOf)).toBe(known)
})

it('retains the objects of unchanged rows, in the order of the new list', () => {
  const known = [row('a', 'Reds'), row('b', 'Blues'), row('c', 'Greens')]
  const shared = shareRows(known, [row('c', 'Greens'), row('b', 'Whites'), row('d', 'Reds')], keyOf)
  expect(shared).toEqual([row('c', 'Greens'), row('b', 'Whites'), row('d', 'Reds')])
  expect(shared.map((each) => known.includes(each))).toEqual([true, false, false])
})

it('detects a nested change, a shorter list and an empty list', () => {
  const known = [row('a', 'Reds', ['x', 'y'])]
  expect(shareRows(known, [row('a', 'Reds', ['x', 'z'])], keyOf)[0]?.tags).toEqual(['x', 'z'])
  const wider = [{ ...row('a', 'Reds', ['x', 'y']), more: 1 }]
  expect(shareRows<{ readonly id: string }>(known, wider, keyOf)).toEqual(wider)
  expect(shareRows(known, [], keyOf)).toEqual([])
  expect(shareRows(undefined, known, keyOf)).toBe(known)
})
