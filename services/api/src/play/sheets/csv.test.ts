import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { writeCsv } from './csv.ts'
import type { SheetContent } from './sheet.ts'

function csvOf(content: Partial<SheetContent>): Promise<string> {
  return text(writeCsv({ name: 'Sheet', header: ['Team', 'Score'], rows: [], ...content }))
}

test('writes a byte order mark, quoted text, bare numbers, and CRLF after each row', async () => {
  // Compare bytes, because the function `text` of Node removes the byte order mark.
  const bytes = await writeCsv({ name: 'Sheet', header: ['Team'], rows: [] })
    .take(1)
    .toArray()
  expect([...(bytes[0] as Buffer).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  expect(
    await csvOf({
      rows: [
        ['旗, "one"', -5],
        ['', 0],
      ],
    }),
  ).toBe('"Team","Score"\r\n"旗, ""one""",-5\r\n,0\r\n')
})

describe('text in a CSV cell', () => {
  test.each([
    ['=1+1', `"'=1+1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t'=1"`],
    // A program that separates cells at `;` starts a new cell after the `;`.
    ['a;=cmd|x!A1', `"a;'=cmd|x!A1"`],
    ['a;"=1', `"a;""'=1"`],
    ['a; =1', `"a; '=1"`],
    ['a\r\n+1', `"a\r\n'+1"`],
    ['a;＝1', `"a;'＝1"`],
    ['flag{a=b;c}', '"flag{a=b;c}"'],
    ['","=1', '""",""=1"'],
    ['+49 (30) 123', '"+49 (30) 123"'],
    ['a\u0000b', '"ab"'],
  ])('writes %j as %j', async (given, written) => {
    expect(await csvOf({ header: ['x'], rows: [[given]] })).toBe(`"x"\r\n${written}\r\n`)
  })
})

test('escapes formulas in challenge titles of the header', async () => {
  expect(await csvOf({ header: ['=Sum"'] })).toBe(`"'=Sum"""\r\n`)
})

test('streams rows into the file before all rows are read', async () => {
  let taken = 0
  function* rows(): Generator<[string]> {
    for (; taken < 100_000; taken += 1) yield ['x'.repeat(20)]
  }
  let takenAtFirst: number | undefined
  for await (const _ of writeCsv({ name: 'Sheet', header: ['Head'], rows: rows() })) takenAtFirst ??= taken
  expect(takenAtFirst).toBeLessThan(10_000)
  expect(taken).toBe(100_000)
})
