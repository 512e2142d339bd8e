import { describe, expect, it } from 'vitest'
import { type PreviewRandom, previewTemplate } from './flag-template.ts'

/** Always the last choice of a row. */
const last: PreviewRandom = { int: (max) => max - 1, uuid: () => '01234567-89ab-4cde-8f01-23456789abcd' }

describe('the preview of a flag template', () => {
  it.each([
    ['', 'flag{01234567-89ab-4cde-8f01-23456789abcd}'],
    ['   ', 'flag{01234567-89ab-4cde-8f01-23456789abcd}'],
    ['flag{[GUID]}', 'flag{01234567-89ab-4cde-8f01-23456789abcd}'],
    ['flag{a_[TEAM_HASH]}', 'flag{a_0123456789ab}'],
    // Plain leet: h s e i t p, spaces become underscores; nothing outside the braces changes.
    ['flag{shell is tight open}', 'flag{5h3II_l5_7l9h7_0p3n}'],
    // The wide table, and a marker inside stays out of it.
    ['[CLEET]flag{solo [TEAM_HASH]}', 'flag{$#!#_0123456789ab}'],
    ['[LEET]flag{ab [GUID]}', 'flag{48_01234567-89ab-4cde-8f01-23456789abcd}'],
  ])('%s gives %s', (template, flag) => {
    expect(previewTemplate(template, last).flag).toBe(flag)
  })

  it('counts the bits of every character that leet touches', () => {
    // a 3, b 4, c 2 choices: log2(24); `_` and what stands outside add nothing.
    expect(previewTemplate('flag{abc_}', last).bits).toBeCloseTo(Math.log2(24), 10)
    // Wide: a 4, b 4, c 3 choices.
    expect(previewTemplate('[CLEET]flag{abc}', last).bits).toBeCloseTo(Math.log2(48), 10)
  })

  it('finds a template weak below 32 bits', () => {
    // 16 times `a` has 16 × log2(3) = 25.4 bits, 21 times has 33.3.
    expect(previewTemplate(`flag{${'a'.repeat(16)}}`, last).fault).toBe('templateWeak')
    expect(previewTemplate(`flag{${'a'.repeat(21)}}`, last).fault).toBeUndefined()
    expect(previewTemplate('flag{x_[TEAM_HASH]}', last).fault).toBeUndefined()
  })

  it('finds a template long over 120 characters, or when its flags pass 127', () => {
    expect(previewTemplate(`flag{${'a'.repeat(115)}}`, last).fault).toBe('templateLong')
    // 90 + 6 + 36 characters
    expect(previewTemplate(`flag{${'-'.repeat(90)}[GUID]}`, last).fault).toBe('templateLong')
    expect(previewTemplate(`flag{${'-'.repeat(85)}[GUID]}`, last).fault).toBeUndefined()
  })

  it('finds a marker with nothing behind it weak', () => {
    expect(previewTemplate('[LEET]', last).fault).toBe('templateWeak')
  })

  it('never touches a pair of brackets it does not know', () => {
    expect(previewTemplate('[LEET]flag{[note]s}', last).flag).toBe('flag{[note]5}')
  })
})
