import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeUniqueNameKeys, nameKinds } from './keys.ts'

/** Returns true if two names share a key, so that both cannot exist. */
function areAlike(first: string, second: string): boolean {
  const [a, b] = [computeUniqueNameKeys(first), computeUniqueNameKeys(second)]
  return nameKinds.some((kind) => a[kind] === b[kind])
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
  ['a second dot above the i', 'Admi\u0307n'],
  ['a dot above an i without a dot', 'Adm\u0131\u0307n'],
  ['a dot above a Cyrillic i', 'Adm\u0456\u0307n'],
  ['a dot above a capital I', 'ADM\u0130N'],
  ['a dot above an I of another alphabet', 'ADM\u0406\u0307N'],
  ['a dot above a small capital', 'adm\u026a\u0307n'],
  ['an l among capitals and a small first letter', 'aDMlN'],
  ['a digit among capitals and a small first letter', 'aDM1N'],
  ['a vertical bar among capitals', 'AdM|N'],
  ['a capital I and rn', 'AdrnIn'],
  ['capitals and rn', 'aDrnIN'],
])('treats Admin with %s as a look-alike of Admin', (_how, name) => {
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
  ['Admin', 'ADMlN'],
  ['admin', 'ADM1N'],
  ['Admin', '\u0410DMlN'],
  ['Admin', 'adrnin'],
  ['alice', 'AIice'],
  ['ALICE', 'aIice'],
  ['ella', 'ELLA'],
  ['ELLA', 'eIIa'],
  ['root', 'R00T'],
  ['evil', 'EviI'],
  ['Capstan Crew', 'CAPSTAN CREW'],
  ['Hill Climbers', 'HlLL CLlMBERS'],
  ['Team I', 'team l'],
  ['エース', '工ース'],
  ['I ❤️ pwn', 'I ❤ pwn'],
  ['Ninja', 'ninj\u0307a'],
  ['Ninja', 'nin\u0237\u0307a'],
  ['\u012fsas', 'i\u0328\u0307sas'],
  ['organizer', 'oRGANlZER'],
  ['Robin', 'rOB1N'],
  ['capstan official', 'Capstan oFFlClAL'],
  ['Pixie', 'PiX|E'],
  ['Corner', 'ComeR'],
  ['Gemini', 'GErnINi'],
  ['STEVIE', 'sTEV1E'],
])('treats %s and %s as look-alikes', (first, second) => {
  expect(areAlike(first, second)).toBe(true)
})

test.each([
  ['Team I', 'Team L'],
  ['Team 1', 'Team L'],
  ['player1', 'player2'],
  ['player10', 'player01'],
  ['user', 'users'],
  ['Lia', 'Ila'],
  ['Ian', 'Lan'],
  ['IAN', 'LAN'],
  ['Ian', 'LAN'],
  ['TeamI', 'TeamL'],
  ['TEAMI', 'TEAML'],
  ['Team II', 'Team LL'],
  ['Team-I', 'Team-L'],
  ['BobIan', 'BobLan'],
  ['Isa', 'Lisa'],
  ['Bill', 'Biil'],
  ['Milan', 'Mian'],
  ['Team 10', 'Team 01'],
  ['CTF', 'CTFs'],
  ['Jose', 'José'],
  ['Müller', 'Muller'],
  ['Мир', 'Mup'],
  ['홍길동', '홍길순'],
  ['さくら', 'サクラ'],
  ['👨‍👩‍👧', '👨‍👩‍👦'],
  ['🇯🇵', '🇫🇷'],
  ['a_b', 'a-b'],
  ['\u017ca', 'za'],
  ['Malte', 'MaIteN'],
  ['Carl', 'Cari'],
  ['McAllen', 'McAiien'],
  ['iPhone1', 'iPhone2'],
  ['Big L', 'Big I'],
  ['FCBayernL', 'FCBayernI'],
])('treats %s and %s as different', (first, second) => {
  expect(areAlike(first, second)).toBe(false)
})

test('two spellings of a word are look-alikes if only the case or the letters I and l differ', () => {
  const word = fc.stringMatching(/^[a-z]{3,10}$/)
  const forms = [
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => text.charAt(0).toUpperCase() + text.slice(1),
  ]
  const form = fc.constantFrom(...forms)
  fc.assert(
    fc.property(word, form, form, fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), (text, first, second, exchanged) => {
      const other = [...second(text)].map((letter, at) => {
        if (at === 0 || !exchanged[at]) return letter
        return letter === 'I' ? 'l' : letter === 'l' ? 'I' : letter
      })
      // In a word of only I and l, the case of the word is unknown.
      fc.pre(/[^ilo]/.test(text.slice(1)))
      expect([first(text), other.join(''), areAlike(first(text), other.join(''))]).toEqual([first(text), other.join(''), true])
    }),
    { numRuns: 2000 },
  )
})

test('treats words as different if they differ in a letter that has no look-alike', () => {
  const word = fc.stringMatching(/^[a-hj-kn-z]{3,10}$/)
  fc.assert(
    fc.property(word, word, (one, other) => {
      fc.pre(one !== other)
      expect(areAlike(one, other)).toBe(false)
    }),
    { numRuns: 1000 },
  )
})

test('creates short keys without blanks, even if decomposition makes a name very long', () => {
  const keys = computeUniqueNameKeys('\ufdfa'.repeat(20))
  for (const key of nameKinds.map((kind) => keys[kind])) {
    expect(key).not.toMatch(/\s/)
    expect([...key]).toHaveLength(256)
  }
})
