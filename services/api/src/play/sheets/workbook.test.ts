import { buffer } from 'node:stream/consumers'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import type { SheetContent } from './sheet.ts'
import { maxSheetRows, writeWorkbook } from './workbook.ts'

async function sheetOf(content: Partial<SheetContent>): Promise<string> {
  const file = await buffer(await writeWorkbook({ name: 'Sheet', header: ['Head'], rows: [], ...content }))
  return strFromU8(unzipSync(file)['xl/worksheets/sheet1.xml']!)
}

test('streams rows into the file, and stops at the maximum number of rows of spreadsheet programs', async () => {
  let taken = 0
  function* endless(): Generator<[]> {
    for (;;) {
      taken += 1
      yield []
    }
  }
  const file = await writeWorkbook({ name: 'Sheet', header: ['Head'], rows: endless() })
  let takenAtFirst: number | undefined
  for await (const _ of file) takenAtFirst ??= taken
  expect(takenAtFirst).toBeLessThan(maxSheetRows / 10)
  // The header counts as a row. The last row that was read is therefore beyond the maximum, and is not written.
  expect(taken).toBe(maxSheetRows)
})

test('retains text that looks like an escaped character', async () => {
  const sheet = await sheetOf({ rows: [['_x003D_cmd', '_x', 'a_x000d_b<&>"\r']] })
  expect(sheet).toContain('>_x005F_x003D_cmd<')
  expect(sheet).toContain('>_x<')
  expect(sheet).toContain('>a_x005F_x000d_b&lt;&amp;&gt;&quot;&#13;<')
})

test('uses column names with one, two or three letters', async () => {
  const sheet = await sheetOf({ header: Array.from({ length: 703 }, () => 'x') })
  expect(['"A1"', '"Z1"', '"AA1"', '"ZZ1"', '"AAA1"'].filter((at) => !sheet.includes(`r=${at}`))).toEqual([])
})
