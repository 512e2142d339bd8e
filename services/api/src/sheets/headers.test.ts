import { languageCodes } from '@capstan/contract/languages'
import { expect, test } from 'vitest'
import { sheetWord } from './headers.ts'

test.each(languageCodes)('in %s every column has a name of its own', (language) => {
  const columns = [
    'rank',
    'team',
    'division',
    'captain',
    'members',
    'studentNumbers',
    'phones',
    'solved',
    'lastSolve',
    'score',
  ] as const
  const names = columns.map((word) => sheetWord(word, language))
  expect(new Set(names).size).toBe(columns.length)
  expect(names.every((name) => name !== '')).toBe(true)
})

test('words stand at their place', () => {
  expect(sheetWord('email', 'de-DE')).toBe('E-Mail')
  expect(sheetWord('submissions', 'fr-FR')).toBe('Soumissions')
})
