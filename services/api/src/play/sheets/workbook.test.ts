import { buffer } from 'node:stream/consumers'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { type SheetContent, sheetRowsMax, writeWorkbook } from './workbook.ts'

async function sheetOf(content: Partial<SheetContent>): Promise<string> {
  const file = await buffer(writeWorkbook({ name: 'Sheet', header: ['Head'], rows: [], ...content }))
  return strFromU8(unzipSync(file)['xl/worksheets/sheet1.xml']!)
}

test('a file is written while its rows are read, and ends where programs read no further', async () => {
  let taken = 0
  function* endless(): Generator<[]> {
    for (;;) {
      taken += 1
      yield []
    }
  }
  const file = writeWorkbook({ name: 'Sheet', header: ['Head'], rows: endless() })
  let takenAtFirst: number | undefined
  for await (const _ of file) takenAtFirst ??= taken
  expect(takenAtFirst).toBeLessThan(sheetRowsMax / 10)
  // The one that did not fit was looked at.
  expect(taken).toBe(sheetRowsMax)
})

test('a text that stands for another character in such files stays as it was typed', async () => {
  const sheet = await sheetOf({ rows: [['_x003D_cmd', '_x', 'a_x000d_b<&>"\r']] })
  expect(sheet).toContain('>_x005F_x003D_cmd<')
  expect(sheet).toContain('>_x<')
  expect(sheet).toContain('>a_x005F_x000d_b&lt;&amp;&gt;&quot;&#13;<')
})

test('columns have letters, however many there are', async () => {
  const sheet = await sheetOf({ header: Array.from({ length: 703 }, () => 'x') })
  expect(['"A1"', '"Z1"', '"AA1"', '"ZZ1"', '"AAA1"'].filter((at) => !sheet.includes(`r=${at}`))).toEqual([])
})
