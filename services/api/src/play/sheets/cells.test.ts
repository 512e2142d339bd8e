import { describe, expect, test } from 'vitest'
import { formatUtcTime } from '../../rules/utc-time.ts'
import { escapeFormulaText, joinMemberValuesInOneCell } from './cells.ts'

describe('text in a cell', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['+cmd|/c calc!A1', "'+cmd|/c calc!A1"],
    ['-2+3+cmd|x', "'-2+3+cmd|x"],
    ['\t=1', "'\t=1"],
    ['＝1+1', "'＝1+1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['+49 (30) 123-45', '+49 (30) 123-45'],
    ['+49 1 / <empty> / +49 2', '+49 1 / <empty> / +49 2'],
    ['+49 1 / =1', "'+49 1 / =1"],
    ['-5', '-5'],
    ['flag{=1}', 'flag{=1}'],
    ['', ''],
    ['旗', '旗'],
  ])('writes %j as %j', (given, written) => {
    expect(escapeFormulaText(given)).toBe(written)
  })

  test('removes characters that XML cannot represent, even if they precede a formula', () => {
    expect(escapeFormulaText('a\u0000b\u0008c\ufffe')).toBe('abc')
    expect(escapeFormulaText('\u0001=1')).toBe("'=1")
    expect(escapeFormulaText('x\ud800y')).toBe('x\ufffdy')
  })

  test('truncates the text of a cell to 32,767 characters', () => {
    expect(escapeFormulaText('x'.repeat(40_000))).toHaveLength(32_767)
  })
})

test('joins the values of all members in one cell, with a placeholder for a blank value', () => {
  expect(joinMemberValuesInOneCell(['Ada', ' ', null, 'Bob'])).toBe('Ada / <empty> / <empty> / Bob')
})

test('formats times in UTC to the second', () => {
  expect(formatUtcTime(new Date('2030-01-02T03:04:05.678+01:00'))).toBe('2030-01-02 02:04:05Z')
})
