import { describe, expect, test } from 'vitest'
import { mayRepeatEnglish } from './allowed.ts'
import { findTranslationFaults, flattenTexts, requiredTextKeys } from './catalogue.ts'

const english = flattenTexts({
  save: 'Save changes',
  nested: { hello: 'Hello {{name}}' },
  found_one: '{{count}} game',
  found_other: '{{count}} games',
  last_one: 'The last minute',
  last_other: 'The last {{count}} minutes',
})

function rules(code: string, isPartial = false) {
  return {
    code,
    isPartial,
    mayRepeat: (key: string, text: string) => mayRepeatEnglish(code, `common:${key}`, text),
  }
}

const german = {
  save: 'Änderungen speichern',
  nested: { hello: 'Hallo {{name}}' },
  found_one: '{{count}} Spiel',
  found_other: '{{count}} Spiele',
  last_one: 'Die letzte Minute',
  last_other: 'Die letzten {{count}} Minuten',
}

test('a complete catalog has no faults', () => {
  expect(findTranslationFaults(english, flattenTexts(german), rules('de-DE'))).toEqual([])
})

test('a catalog must contain the plural forms of its language', () => {
  const forms = (code: string) => [...requiredTextKeys(english, code)].filter((key) => key.startsWith('found'))
  expect(forms('ja-JP')).toEqual(['found_other'])
  expect(forms('de-DE')).toEqual(['found_one', 'found_other'])
  expect(forms('fr-FR')).toEqual(['found_one', 'found_many', 'found_other'])
  expect(forms('ru-RU')).toEqual(['found_one', 'found_few', 'found_many', 'found_other'])
})

describe('the faults of a translation', () => {
  test('the check reports a missing key, except in a language that is marked as partial', () => {
    const { save, ...rest } = german
    expect(findTranslationFaults(english, flattenTexts(rest), rules('de-DE'))).toEqual(['save is missing'])
    expect(findTranslationFaults(english, flattenTexts(rest), rules('de-DE', true))).toEqual([])
    expect(save).toBe('Änderungen speichern')
  })

  test('the check reports a key that English does not have', () => {
    expect(findTranslationFaults(english, flattenTexts({ ...german, extra: 'Mehr' }), rules('de-DE'))).toEqual([
      'extra is not in en-US',
    ])
  })

  test('the check reports a placeholder that differs from English', () => {
    const faults = findTranslationFaults(
      english,
      flattenTexts({ ...german, nested: { hello: 'Hallo {{user}}' } }),
      rules('de-DE'),
    )
    expect(faults).toEqual(['nested.hello has the placeholders "user" instead of "name"'])
  })

  test('the check reports a Russian singular form without {{count}}, because 21 is also singular', () => {
    const russian = flattenTexts({
      last_one: 'Последняя минута',
      last_few: '{{count}}',
      last_many: '{{count}}',
      last_other: '{{count}}',
    })
    const faults = findTranslationFaults(
      flattenTexts({ last_one: 'The last minute', last_other: 'The last {{count}}' }),
      russian,
      rules('ru-RU'),
    )
    expect(faults).toEqual(['last_one has the placeholders "" instead of "count"'])
  })

  test('the check reports a text that is still English, except for words that both languages share', () => {
    const shared = flattenTexts({ title: 'Team', save: 'Save changes' })
    expect(findTranslationFaults(shared, shared, rules('de-DE'))).toEqual(['save is still English: "Save changes"'])
  })

  test('the check reports an empty text', () => {
    expect(findTranslationFaults(english, flattenTexts({ ...german, save: ' ' }), rules('de-DE'))).toEqual(['save is empty'])
  })
})
