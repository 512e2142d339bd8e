/** Row of a CSV text. `line` is the number of the row's first line in the source, starting at 1. Quoted values may span lines. */
export type CsvRow = Readonly<{
  line: number
  values: readonly string[]
}>

type Csv = Readonly<{
  rows: readonly CsvRow[]
  openQuoteLine: number | undefined
}>

const separators = ['\t', ';', ','] as const

/** First line of a file for Excel that defines the separator: `sep=;`. */
const separatorLine = /^\uFEFF?"?sep=([^\r\n])"?[ \t]*(?:\r?\n|$)/i

/**
 * Returns the separator that the first line of the text defines, or else the most frequent separator of that line outside of
 * quotes. The default is a comma.
 */
export function detectSeparator(text: string): string {
  const named = separatorLine.exec(text)?.[1]
  if (named !== undefined) return named
  const firstLine =
    text
      .replace(/^\uFEFF/, '')
      .trimStart()
      .split(/\r?\n/, 1)[0] ?? ''
  const bare = firstLine.replaceAll(/"[^"]*"/g, '')
  const counted = separators.map((separator) => ({ separator, count: bare.split(separator).length - 1 }))
  const most = counted.reduce((best, next) => (next.count > best.count ? next : best))
  return most.count > 0 ? most.separator : ','
}

/** Byte order mark of UTF-16, which spreadsheets use for "Unicode text". */
const utf16Mark = [0xff, 0xfe] as const

/**
 * Decodes a file in UTF-8, or in UTF-16 with a byte order mark. Other encodings are refused, because they would corrupt non-ASCII
 * letters in names and passwords.
 * @returns undefined for other encodings and binary files
 */
export function decodeUnicodeText(file: ArrayBuffer): string | undefined {
  const bytes = new Uint8Array(file)
  const isUtf16 = utf16Mark.every((byte, index) => bytes[index] === byte)
  try {
    const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes)
    return text.includes('\u0000') ? undefined : text
  } catch {
    return undefined
  }
}

/** Parses CSV by RFC 4180 with comma, semicolon or tab. It trims values and skips blank lines. */
export function parseCsv(text: string): Csv {
  const source = text.replace(/^\uFEFF/, '')
  const separator = detectSeparator(source)
  const start = separatorLine.exec(source)?.[0] ?? ''
  const rows: CsvRow[] = []
  let values: string[] = []
  let value = ''
  let line = start === '' ? 1 : 2
  let rowLine = line
  let quoteLine: number | undefined
  const endValue = () => {
    values.push(value.trim())
    value = ''
  }
  const endRow = () => {
    endValue()
    if (values.some((each) => each !== '')) rows.push({ line: rowLine, values })
    values = []
    rowLine = line
  }
  for (let at = start.length; at < source.length; at += 1) {
    const letter = source[at] ?? ''
    if (letter === '\n') line += 1
    if (quoteLine !== undefined) {
      if (letter !== '"') value += letter
      else if (source[at + 1] === '"') {
        value += '"'
        at += 1
      } else quoteLine = undefined
    } else if (letter === '"' && value.trim() === '') {
      value = ''
      quoteLine = line
    } else if (letter === separator) endValue()
    else if (letter === '\n') endRow()
    else if (letter !== '\r') value += letter
  }
  endRow()
  return { rows, openQuoteLine: quoteLine }
}
