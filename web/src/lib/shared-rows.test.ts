import { expect, it } from 'vitest'
import { reuseUnchangedRows } from './shared-rows.ts'

function row(id: string, name: string, tags: readonly string[] = []) {
  return { id, team: { name }, tags, note: null }
}
function keyOf({ id }: { readonly id: string }) {
  return id
}

it('the result is the previous list object if no row has changed', () => {
  const known = [row('a', 'Reds', ['x']), row('b', 'Blues')]
  expect(reuseUnchangedRows(known, structuredClone(known), keyOf)).toBe(known)
})

it('the result contains the known objects of unchanged rows, in the order of the new list', () => {
  const known = [row('a', 'Reds'), row('b', 'Blues'), row('c', 'Greens')]
  const shared = reuseUnchangedRows(known, [row('c', 'Greens'), row('b', 'Whites'), row('d', 'Reds')], keyOf)
  expect(shared).toEqual([row('c', 'Greens'), row('b', 'Whites'), row('d', 'Reds')])
  expect(shared.map((each) => known.includes(each))).toEqual([true, false, false])
})

it('the comparison detects a nested change, a shorter list and an empty list', () => {
  const known = [row('a', 'Reds', ['x', 'y'])]
  expect(reuseUnchangedRows(known, [row('a', 'Reds', ['x', 'z'])], keyOf)[0]?.tags).toEqual(['x', 'z'])
  const wider = [{ ...row('a', 'Reds', ['x', 'y']), more: 1 }]
  expect(reuseUnchangedRows<{ readonly id: string }>(known, wider, keyOf)).toEqual(wider)
  expect(reuseUnchangedRows(known, [], keyOf)).toEqual([])
  expect(reuseUnchangedRows(undefined, known, keyOf)).toBe(known)
})
