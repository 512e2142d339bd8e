import { expect, test } from 'vitest'
import { pseudo } from './pseudo-language.ts'

test('a text of the pseudo-language is longer and accented, and its placeholders are unchanged', () => {
  expect(pseudo('Save')).toBe('⟦Šâṽé nô⟧')
  expect(pseudo('Solved by <who>{{team}}</who>')).toMatch(/^⟦Šôĺṽéđ ƀý <who>\{\{team\}\}<\/who> nôĉĥ ⟧$/)
})
