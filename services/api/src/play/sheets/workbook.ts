import { Readable } from 'node:stream'
import { writeZip } from '../../challenges/archives/zip-writer.ts'
import { joinTextsIntoChunks } from '../../server/http/text-chunks.ts'
import { type CellValue, escapeFormulaText } from './cells.ts'
import type { SheetContent } from './sheet.ts'

/** Maximum number of rows that spreadsheet programs read, including the header. Further rows are omitted. */
export const maxSheetRows = 1_048_576

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' }
/**
 * Escapes text for XML. An xlsx file represents a character such as `=` as `_x003D_` (ECMA-376, ST_Xstring). Text that already has
 * this form is escaped, too.
 */
function escapeXml(text: string): string {
  return text
    .replaceAll(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[&<>"\r]/g, (character) => entities[character] ?? character)
}

/** Shortens a name to 31 characters and replaces `\ / ? * [ ] :`, as Excel requires. */
function sheetName(name: string): string {
  return name.replaceAll(/[\\/?*[\]:']/g, ' ').slice(0, 31)
}

function columnName(index: number): string {
  return (index < 26 ? '' : columnName(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))
}

const bold = 1

function rowXml(values: readonly CellValue[], row: number, style = 0): string {
  const cells = values.map((value, column) => {
    const at = `<c r="${columnName(column)}${row}" s="${style}"`
    if (typeof value === 'number') return `${at}><v>${value}</v></c>`
    const text = escapeFormulaText(value)
    return text === '' ? '' : `${at} t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`
  })
  return `<row r="${row}">${cells.join('')}</row>`
}

async function* sheetXml({ header, rows }: SheetContent): AsyncGenerator<string> {
  const widths = header.map((title, index) => {
    const width = Math.min(40, Math.max(12, title.length + 2))
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`
  })
  yield [
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">`,
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>',
    `<cols>${widths.join('')}</cols><sheetData>${rowXml(header, 1, bold)}`,
  ].join('')
  let row = 1
  for await (const values of rows) {
    if (row === maxSheetRows) break
    row += 1
    yield rowXml(values, row)
  }
  yield '</sheetData></worksheet>'
}

function partsOf(name: string): ReadonlyMap<string, string> {
  return new Map(
    [
      [
        '[Content_Types].xml',
        `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${spreadsheet}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${spreadsheet}.styles+xml"/></Types>`,
      ],
      [
        '_rels/.rels',
        `<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
      ],
      [
        'xl/workbook.xml',
        `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="${escapeXml(sheetName(name))}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      ],
      [
        'xl/_rels/workbook.xml.rels',
        `<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
      ],
      [
        'xl/styles.xml',
        `<styleSheet xmlns="${main}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`,
      ],
    ].map(([path = '', xml = '']): [string, string] => [path, declaration + xml]),
  )
}

/**
 * Streams an xlsx file (ECMA-376) with one sheet and a bold header row that does not scroll. The memory does not depend on the
 * number of rows. Other work can run between the rows. A row that cannot be read aborts the stream.
 */
export function writeWorkbook(sheet: SheetContent): Promise<Readable> {
  return writeZip(
    [{ path: 'xl/worksheets/sheet1.xml', open: async () => Readable.from(joinTextsIntoChunks(sheetXml(sheet))) }],
    partsOf(sheet.name),
  )
}
