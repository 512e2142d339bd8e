import { expect, test } from 'vitest'
import { isFullRun } from '../../testing/full-run.ts'
import { refuseInvalidName, refuseInvalidUserName } from './policy.ts'

test.each([
  ['Japanese', 'さくらチーム'],
  ['Japanese with a variant of a character', '葛\u{e0100}城'],
  ['Japanese with a wide blank', '山田　太郎'],
  ['half-width Katakana', 'ｶﾀｶﾅ'],
  ['Korean', '홍길동'],
  ['Korean, decomposed', '홍길동'.normalize('NFD')],
  ['Chinese', '红队一号'],
  ['Arabic', 'فريق النور'],
  ['Persian with a non-joiner', 'می\u200cخواهم'],
  ['Hebrew with points', 'שָׁלוֹם'],
  ['Hindi', 'हिन्दी'],
  ['Hindi with a joiner', 'क्\u200dष'],
  ['Thai with two marks on a letter', 'ที่นี่'],
  ['Vietnamese, decomposed', 'Nguyễn'.normalize('NFD')],
  ['Cyrillic alone', 'Бобры'],
  ['Greek alone', 'Νίκη'],
  ['accents', 'José Ñandú'],
  ['an emoji', 'root 🐙'],
  ['emoji with style', 'I ❤️ pwn'],
  ['a family', '👨‍👩‍👧‍👦'],
  ['an emoji with skin tone and gender', '👩🏽‍🚀'],
  ['a flag', '🇯🇵'],
  ['a flag of a region', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['a rainbow flag', '🏳️‍🌈'],
  ['a key', '1️⃣st'],
  ['signs', 'C++ & <b>'],
  ['a quote', "O'Brien"],
])('accepts a name with %s', (_kind, name) => {
  expect(refuseInvalidName(name)).toBeUndefined()
})

test.each([
  ['a line break', 'Ad\nmin'],
  ['a carriage return', 'Ad\rmin'],
  ['a line separator', 'Ad\u2028min'],
  ['a next-line control', 'Ad\u0085min'],
  ['a tab', 'Ad\tmin'],
  ['an escape', 'Ad\u001b[31mmin'],
  ['a bell', 'Admin\u0007'],
  ['a zero-width space', 'Admin\u200b'],
  ['a joiner between Latin letters', 'Ad\u200dmin'],
  ['a non-joiner between Latin letters', 'Ad\u200cmin'],
  ['a byte order mark', '\ufeffAdmin'],
  ['a soft hyphen', 'Ad\u00admin'],
  ['a word joiner', 'Ad\u2060min'],
  ['a direction override', '\u202enimdA'],
  ['a direction isolate', '\u2066Admin\u2069'],
  ['a right-to-left mark', 'Admin\u200f'],
  ['a variation selector on a letter', 'Admi\ufe0fn'],
  ['a hidden tag', 'Admin\u{e0041}'],
  ['hidden tags on a flag that name no region', '🏴\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e007f}'],
  ['a Hangul filler', 'Admin\u3164'],
  ['a character for private use', 'Admin\ue000'],
  ['half a surrogate pair', 'Admin\ud800'],
  ['a noncharacter', 'Admin\uffff'],
  ['five marks on a letter', 'A\u0301\u0302\u0303\u0304\u0306dmin'],
  ['the same mark twice', 'A\u0332\u0332dmin'],
  ['a mark at the start', '\u0338Admin'],
])('refuses a name with %s', (_kind, name) => {
  expect(refuseInvalidName(name)).toBe('name.unreadable')
})

test.each([
  ['blank Braille', '\u2800\u2800\u2800'],
  ['wide blanks', '\u3000\u3000\u3000'],
  ['object replacements', '\ufffc\ufffc\ufffc'],
])('refuses a name that consists only of %s', (_kind, name) => {
  expect(refuseInvalidName(name)).toBe('name.unreadable')
})

test.each([
  ['ada@example.org', 'username.address'],
  ['a@b', 'username.address'],
  ['ada＠example', 'username.address'],
  ['Ada﹫b', 'username.address'],
  ['@home', undefined],
  ['home@', undefined],
  ['a@b@c', undefined],
  ['ada.example', undefined],
  ['System', 'username.taken'],
  ['SYSTEM', 'username.taken'],
  ['Ѕystem', 'username.taken'],
  ['Anonymous', 'username.taken'],
  ['anonym0us', 'username.taken'],
  ['Systems', undefined],
])('accepts or refuses the user name %s: %s', (name, refusal) => {
  expect(refuseInvalidUserName(name)).toBe(refusal)
})

test('checks a name of maximum length in linear time, for any characters', () => {
  for (const part of ['\u0301', '👨‍', '🏴󠁧', 'می\u200c', '\u200d', '1\ufe0f', '葛\u{e0100}', ' ', '@'])
    expect(() => refuseInvalidUserName(part.repeat(isFullRun ? 20_000 : 2_000))).not.toThrow()
})
