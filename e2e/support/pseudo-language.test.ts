import { expect, test } from 'vitest'
import { toPseudoLanguage } from './pseudo-language.ts'

test('a text of the pseudo-language is longer and accented, and its placeholders are unchanged', () => {
  expect(toPseudoLanguage('Save')).toBe('⟦Šâṽé nô⟧')
  expect(toPseudoLanguage('Solved by <who>{{team}}</who>')).toMatch(/^⟦Šôĺṽéđ ƀý <who>\{\{team\}\}<\/who> nôĉĥ ⟧$/)
})
