import { describe, expect, it } from 'vitest'
import { type PreviewRandom, previewFlagTemplate } from './flag-template.ts'

/** Fake source of randomness that always selects the last option. */
const last: PreviewRandom = { int: (max) => max - 1, uuid: () => '01234567-89ab-4cde-8f01-23456789abcd' }

describe('the preview of a flag template', () => {
  it.each([
    ['', 'flag{01234567-89ab-4cde-8f01-23456789abcd}'],
    ['   ', 'flag{01234567-89ab-4cde-8f01-23456789abcd}'],
    ['flag{[GUID]}', 'flag{01234567-89ab-4cde-8f01-23456789abcd}'],
    ['flag{a_[TEAM_HASH]}', 'flag{a_0123456789ab}'],
    // The default leet table replaces h, s, e, i, t, p and spaces. Text outside of the braces is unchanged.
    ['flag{shell is tight open}', 'flag{5h3II_l5_7l9h7_0p3n}'],
    // [CLEET] uses a larger leet table. It does not change the placeholder inside the braces.
    ['[CLEET]flag{solo [TEAM_HASH]}', 'flag{$#!#_0123456789ab}'],
    ['[LEET]flag{ab [GUID]}', 'flag{48_01234567-89ab-4cde-8f01-23456789abcd}'],
  ])('the preview shows %s as %s', (template, flag) => {
    expect(previewFlagTemplate(template, last).flag).toBe(flag)
  })

  it('the preview counts the bits of every character that leet changes', () => {
    // 3 × 4 × 2 options are log2(24) bits. `_` and text outside of the braces add none.
    expect(previewFlagTemplate('flag{abc_}', last).bits).toBeCloseTo(Math.log2(24), 10)
    expect(previewFlagTemplate('[CLEET]flag{abc}', last).bits).toBeCloseTo(Math.log2(48), 10)
  })

  it('the preview reports that a template with less than 32 bits is weak', () => {
    // The letter `a` 16 times gives 16 × log2(3) = 25.4 bits, and 21 times gives 33.3 bits.
    expect(previewFlagTemplate(`flag{${'a'.repeat(16)}}`, last).fault).toBe('templateWeak')
    expect(previewFlagTemplate(`flag{${'a'.repeat(21)}}`, last).fault).toBeUndefined()
    expect(previewFlagTemplate('flag{x_[TEAM_HASH]}', last).fault).toBeUndefined()
  })

  it('the preview reports a template of more than 120 characters, and a template whose flags exceed 127 characters', () => {
    expect(previewFlagTemplate(`flag{${'a'.repeat(115)}}`, last).fault).toBe('templateLong')
    // The flag has 132 characters: 90 hyphens, 6 for `flag{}`, and 36 for the UUID.
    expect(previewFlagTemplate(`flag{${'-'.repeat(90)}[GUID]}`, last).fault).toBe('templateLong')
    expect(previewFlagTemplate(`flag{${'-'.repeat(85)}[GUID]}`, last).fault).toBeUndefined()
  })

  it('the preview reports that a template is weak if it contains only [LEET]', () => {
    expect(previewFlagTemplate('[LEET]', last).fault).toBe('templateWeak')
  })

  it('the preview does not change text in brackets that is not a placeholder', () => {
    expect(previewFlagTemplate('[LEET]flag{[note]s}', last).flag).toBe('flag{[note]5}')
  })
})
