import { expect, test } from 'vitest'
import { type CertificateFacts, fillPlaceholders, formatPlaceholderValues } from './text.ts'

const facts: CertificateFacts = {
  team: 'Red (2)',
  users: ['ada', 'grace'],
  rank: 1234,
  points: 56_789,
  game: 'Winter CTF',
  date: new Date('2026-05-01T22:00:00Z'),
  division: null,
}

test('a certificate isolates the text direction of names, and formats numbers and dates in the language of the template', () => {
  const text = '{team} {user} {rank} {points} {game} {date}'
  expect(fillPlaceholders(text, formatPlaceholderValues(facts, 'en-US'))).toBe(
    '\u2068Red (2)\u2069 \u2068ada\u2069 and \u2068grace\u2069 1,234 56,789 \u2068Winter CTF\u2069 May 1, 2026',
  )
  expect(fillPlaceholders('{rank}: {date}', formatPlaceholderValues(facts, 'de-DE'))).toBe('1.234: 1. Mai 2026')
  expect(fillPlaceholders('{user}', formatPlaceholderValues(facts, 'ja-JP'))).toBe('\u2068ada\u2069、\u2068grace\u2069')
})

test('a certificate omits a line whose placeholder has no value, and no other line', () => {
  const text = 'First\r\nRank {rank}\n{division}\n\nLast'
  expect(fillPlaceholders(text, formatPlaceholderValues({ ...facts, rank: undefined }, 'en-US'))).toBe('First\n\nLast')
})

test('names in a certificate contain neither line breaks nor characters that change the text direction', () => {
  expect(fillPlaceholders('{team}', formatPlaceholderValues({ ...facts, team: 'a\nb\u202ec\u2069\u200fd' }, 'en-US'))).toBe(
    '\u2068abcd\u2069',
  )
})

test('a certificate does not replace a placeholder inside a name', () => {
  expect(fillPlaceholders('{team}', formatPlaceholderValues({ ...facts, team: '{points}' }, 'en-US'))).toBe(
    '\u2068{points}\u2069',
  )
})

test('a certificate lists at most 30 members by name', () => {
  const users = Array.from({ length: 31 }, (_, index) => `m${index}`)
  const listed = fillPlaceholders('{user}', formatPlaceholderValues({ ...facts, users }, 'en-US'))
  expect(listed).toMatch(/m29\u2069, and …$/)
  expect(listed).not.toContain('m30')
})
