import type { ChallengeFile } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import { type FileTree, nameOf } from '../tree.ts'
import { type Source, UnreadableFile } from '../yaml.ts'
import { readCtfcli } from './ctfcli.ts'
import type { ReadOne } from './dialect.ts'
import { Fields } from './fields.ts'
import { parseSheet, type SheetRow } from './sheet.ts'

/**
 * Reader for sheets such as `challenges.csv`, which CTFd imports and which Juice Shop and other tools write. A sheet has one row
 * for each challenge.
 */

const maxSheetBytes = 8 * 1024 * 1024

export function isCsvFileName(path: string): boolean {
  return /\.csv$/i.test(path)
}

const required = ['name', 'category', 'value']
const ofChallenges = ['description', 'flags', 'type', 'state']

/** Columns without a meaning on this platform. */
const ofOtherPlatform = ['id', 'next_id']

function isHeader(header: readonly string[]): boolean {
  return required.every((column) => header.includes(column)) && ofChallenges.some((column) => header.includes(column))
}

/** Parses a list that is written as JSON or as comma-separated text. */
function listOf(cell: string): unknown {
  if (/^\s*[[{]/.test(cell)) {
    try {
      const parsed: unknown = JSON.parse(cell)
      if (typeof parsed === 'object' && parsed !== null) return parsed
    } catch {
      // The cell is not valid JSON, so it is read as comma-separated text.
    }
  }
  return cell
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

/** Reads a list of tags or files. Each item is a text, or an object that contains a text. */
function textsOf(cell: string, key: string): unknown {
  const list = listOf(cell)
  return (Array.isArray(list) ? list : [list]).map((each: unknown) =>
    typeof each === 'object' && each !== null && key in each ? (each as Record<string, unknown>)[key] : each,
  )
}

function isBalanced(flag: unknown): boolean {
  return typeof flag !== 'string' || flag.split('{').length === flag.split('}').length
}

function objectOf(cell: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(cell)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

/** Converts a row of a CTFd sheet into the fields of a ctfcli descriptor. */
function describe(
  cells: Readonly<Record<string, string>>,
  titles: ReadonlyMap<number, string>,
  fields: Fields,
): Record<string, unknown> {
  const { max_attempts: attempts = '', flags = '', tags = '', hints = '', files = '', type_data: typeData = '', ...rest } = cells
  const { connection_info: connection = '', requirements = '', ...plain } = rest
  const found = listOf(flags)
  if (Array.isArray(found) && found.some((flag) => !isBalanced(flag)))
    fields.note(
      'flags',
      'converted',
      'A comma separates flags in this format, so this text became several flags.',
      'Check whether one flag should contain the comma.',
    )
  const extra = typeData === '' ? undefined : objectOf(typeData)
  if (typeData !== '' && extra === undefined) fields.note('type_data', 'left-out', 'This must be a JSON object.')
  if (connection !== '')
    fields.note('connection_info', 'converted', 'The connection text was added to the end of the description.')
  const unlock = requirements === '' ? {} : objectOf(requirements)
  if (unlock === undefined) fields.note('requirements', 'left-out', 'This must be a JSON object.')
  const { prerequisites = [], ...others } = (unlock ?? {}) as Record<string, unknown>
  const needed = (Array.isArray(prerequisites) ? prerequisites : []).map((id) => titles.get(Number(id)) ?? id)
  return {
    ...Object.fromEntries(Object.entries(plain).filter(([column, cell]) => cell !== '' && !ofOtherPlatform.includes(column))),
    ...(connection !== '' && { description: [plain.description ?? '', connection].join('\n\n').trimStart() }),
    ...(Number(attempts) > 0 && { attempts: Number(attempts) }),
    ...(needed.length > 0 && { requirements: { ...others, prerequisites: needed } }),
    ...(flags !== '' && { flags: found }),
    ...(tags !== '' && { tags: textsOf(tags, 'value') }),
    ...(hints !== '' && { hints: listOf(hints) }),
    ...(files !== '' && { files: textsOf(files, 'location') }),
    ...(extra !== undefined && { extra }),
  }
}

const nameless: ChallengeFile = {
  apiVersion: 'capstan/v1',
  kind: 'Challenge',
  name: 'nameless',
  title: 'Nameless',
  category: 'Misc',
  description: '',
  flags: [],
}

function readRow(
  tree: FileTree,
  file: string,
  header: readonly string[],
  titles: ReadonlyMap<number, string>,
  { line, cells }: SheetRow,
): ReadOne {
  const findings: Finding[] = []
  const named = Object.fromEntries(header.map((column, index) => [column, cells[index]?.trim() ?? '']))
  const source = (value: unknown): Source => ({ file, value, lineOf: () => line })
  const fields = new Fields(source(named), findings)
  for (const column of new Set(header.filter((each, index) => each !== '' && header.indexOf(each) < index)))
    fields.note(column, 'left-out', 'Several columns have this name, so only the last one is imported.')
  if (cells.length > header.length) fields.note('', 'left-out', 'The row has more cells than the sheet has columns.')
  if ((named.name ?? '') === '') {
    fields.note('name', 'refused', 'The challenge has no name.')
    return { challenge: nameless, findings }
  }
  return { challenge: readCtfcli(tree, source(describe(named, titles, fields)), findings, { dockerfiles: [] }), findings }
}

/**
 * Reads the challenges of a sheet.
 * @param maxRows maximum number of rows; larger sheets are refused
 * @returns undefined if the sheet has another format
 * @throws UnreadableFile
 */
export function readCtfdSheet(tree: FileTree, file: string, maxRows: number): ReadOne[] | undefined {
  let text: string
  try {
    text = tree.readText(file, maxSheetBytes)
  } catch (cause) {
    if (nameOf(file) !== 'challenges.csv') return undefined
    throw new UnreadableFile(1, cause instanceof Error ? cause.message : String(cause))
  }
  const [first, ...rows] = parseSheet(text)
  const header = (first?.cells ?? []).map((cell) => cell.trim().toLowerCase())
  if (!isHeader(header)) return undefined
  if (rows.length > maxRows) throw new UnreadableFile(1, `There are more than ${maxRows} challenges here.`)
  const [id, name] = [header.indexOf('id'), header.indexOf('name')]
  const titles = new Map(rows.map(({ cells }) => [Number(cells[id]), cells[name]?.trim() ?? '']))
  return rows.map((row) => readRow(tree, file, header, titles, row))
}
