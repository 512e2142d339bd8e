import { expect, test } from 'vitest'
import { nameKeys } from './keys.ts'

/** Whether one of two names cannot be taken beside the other. */
const areAlike = (first: string, second: string): boolean => {
  const [a, b] = [nameKeys(first), nameKeys(second)]
  return a.nameSkeleton === b.nameSkeleton || a.nameShape === b.nameShape
}

test.each([
  ['another case', 'ADMIN'],
  ['full width', 'Ａｄｍｉｎ'],
  ['full width in capitals', 'ＡＤＭＩＮ'],
  ['letters of mathematics', '𝐀𝐝𝐦𝐢𝐧'],
  ['a Cyrillic А', '\u0410dmin'],
  ['Cyrillic capitals', '\u0410D\u041c\u0406N'],
  ['Cyrillic small letters', '\u0430d\u043cin'],
  ['a Greek Α', '\u0391dmin'],
  ['a Cherokee Ꭺ', '\u13aadmin'],
  ['small capitals', 'ᴀᴅᴍɪɴ'],
  ['letters in discs', '🅐🅓🅜🅘🅝'],
  ['an i without a dot', 'Adm\u0131n'],
  ['rn for m', 'Adrnin'],
  ['a zero-width space', 'Admin\u200b'],
  ['a direction override', '\u202eAdmin'],
  ['a filler', 'Ad\u3164min'],
  ['a hair space', 'Ad\u200amin'],
  ['a line break', 'Ad\nmin'],
])('Admin with %s looks like Admin', (_how, name) => {
  expect(areAlike('Admin', name)).toBe(true)
})

test.each([
  ['Alice', 'AIice'],
  ['Bob', 'ВОВ'],
  ['B0B', 'BOB'],
  ['never', '\u039dever'],
  ['Kevin', 'Ke\u03bdin'],
  ['Бобры', 'БОБРЫ'],
  ['Νίκη', 'ΝΊΚΗ'],
  ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
  ['Straße', 'STRASSE'],
  ['José', 'Jose\u0301'],
  ['エース', '工ース'],
  ['I ❤️ pwn', 'I ❤ pwn'],
])('%s and %s are alike', (first, second) => {
  expect(areAlike(first, second)).toBe(true)
})

test.each([
  ['Team I', 'Team L'],
  ['Team 1', 'Team L'],
  ['player1', 'player2'],
  ['player10', 'player01'],
  ['user', 'users'],
  ['Lia', 'Ila'],
  ['Jose', 'José'],
  ['Müller', 'Muller'],
  ['Мир', 'Mup'],
  ['홍길동', '홍길순'],
  ['さくら', 'サクラ'],
  ['👨‍👩‍👧', '👨‍👩‍👦'],
  ['🇯🇵', '🇫🇷'],
  ['a_b', 'a-b'],
])('%s and %s are different', (first, second) => {
  expect(areAlike(first, second)).toBe(false)
})

test('keys hold no blanks and stay short, however long a name becomes by decomposing it', () => {
  const { nameSkeleton, nameShape } = nameKeys('\ufdfa'.repeat(20))
  for (const key of [nameSkeleton, nameShape]) {
    expect(key).not.toMatch(/\s/)
    expect([...key]).toHaveLength(256)
  }
})
