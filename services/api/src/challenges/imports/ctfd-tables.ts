import { maxJsonDepth } from '@capstan/contract/limits'
import { UnfitArchive } from '../archives/unfit-archive.ts'
import type { Archive } from '../archives/zip-archive.ts'
import type { Findings } from './findings.ts'
import { countRows, type JsonRow, newBudget, readRows } from './json-rows.ts'

/** Reason why something is not imported, and advice. */
type Reason = readonly [why: string, advice: string]

/** Columns of a table: `taken` if the conversion reads it, else the reason why it is ignored. */
type Columns = Readonly<Record<string, 'taken' | Reason>>

const keepExport = 'Keep the export where you need it.'
const nowhere: Reason = ['Accounts have no such field here.', keepExport]
const noTeamField: Reason = ['Teams have no such field here.', keepExport]
const noAwardField: Reason = ['Awards have a title alone.', keepExport]
const noAddresses: Reason = ['Addresses of players are not taken over.', keepExport]

/** Tables that are read, with every documented column. */
const tables = {
  config: { id: 'taken', key: 'taken', value: 'taken' },
  brackets: { id: 'taken', name: 'taken', type: 'taken', description: ['Divisions have a name alone.', keepExport] },
  users: {
    ...{ id: 'taken', name: 'taken', email: 'taken', password: 'taken', type: 'taken', hidden: 'taken', banned: 'taken' },
    ...{ verified: 'taken', team_id: 'taken', bracket_id: 'taken', created: 'taken' },
    ...{ website: nowhere, affiliation: nowhere, country: nowhere, secret: nowhere },
    oauth_id: ['People log in by a password here, and not by another service.', 'Reset the password of those who had none.'],
    language: ['The language is that of the browser.', 'Nothing has to be done.'],
    change_password: ['Nobody is made to change the password here.', 'Reset it under Users where it is known to others.'],
  },
  teams: {
    ...{ id: 'taken', name: 'taken', captain_id: 'taken', hidden: 'taken', banned: 'taken', bracket_id: 'taken' },
    ...{ email: noTeamField, website: noTeamField, affiliation: noTeamField, country: noTeamField, secret: noTeamField },
    created: ['Teams have no such field here.', 'Nothing has to be done.'],
    ...{ oauth_id: noTeamField },
    password: [
      'Teams have no password here.',
      'Nothing has to be done: captains find an invitation code on the page of the team.',
    ],
  },
  challenges: {
    ...{ id: 'taken', name: 'taken', description: 'taken', category: 'taken', value: 'taken', type: 'taken', state: 'taken' },
    ...{ connection_info: 'taken', attribution: 'taken', max_attempts: 'taken' },
    ...{ initial: 'taken', minimum: 'taken', decay: 'taken', function: 'taken' },
    requirements: [
      'Every challenge can be solved without another here.',
      'Say in the description what comes first, or enable it later.',
    ],
    next_id: ['Players choose what comes next.', 'Name the next challenge in the description.'],
    logic: ['Any of the flags is right here.', 'Ask for one answer that is made of all of them.'],
    position: ['Challenges are ordered by title here.', 'Number the titles where the order matters.'],
  },
  dynamic_challenge: {
    ...{ id: 'taken', initial: 'taken', minimum: 'taken', decay: 'taken', function: 'taken', dynamic_initial: 'taken' },
    ...{ dynamic_minimum: 'taken', dynamic_decay: 'taken', dynamic_function: 'taken' },
  },
  flags: { id: 'taken', challenge_id: 'taken', type: 'taken', content: 'taken', data: 'taken' },
  hints: {
    ...{ id: 'taken', challenge_id: 'taken', content: 'taken', cost: 'taken', title: 'taken' },
    type: ['Hints are all of one type here.', 'Look at the hint in the challenge.'],
    requirements: ['Every hint can be read without another here.', 'Join hints that follow each other.'],
  },
  tags: { id: 'taken', challenge_id: 'taken', value: 'taken' },
  files: {
    ...{ id: 'taken', type: 'taken', location: 'taken', challenge_id: 'taken', page_id: 'taken', sha1sum: 'taken' },
    solution_id: ['Solutions are not part of a game here.', 'Publish it with a post.'],
  },
  submissions: {
    ...{ id: 'taken', challenge_id: 'taken', user_id: 'taken', team_id: 'taken' },
    ...{ provided: 'taken', type: 'taken', date: 'taken', ip: noAddresses },
  },
  solves: { id: 'taken', challenge_id: 'taken', user_id: 'taken', team_id: 'taken' },
  awards: {
    ...{ id: 'taken', user_id: 'taken', team_id: 'taken', name: 'taken', description: 'taken', date: 'taken', value: 'taken' },
    ...{ category: noAwardField, icon: noAwardField, requirements: noAwardField, type: noAwardField },
  },
  pages: {
    ...{ id: 'taken', title: 'taken', route: 'taken', content: 'taken', draft: 'taken', hidden: 'taken', auth_required: 'taken' },
    ...{ format: 'taken', link_target: ['Posts are listed by their date.', 'Nothing has to be done.'] },
  },
  notifications: {
    ...{ id: 'taken', title: 'taken', content: 'taken', date: 'taken', user_id: 'taken', team_id: 'taken' },
  },
} as const satisfies Record<string, Columns>

export type TableName = keyof typeof tables

/** Column values that match the fixed behavior of this platform, so they need no report. */
const onlyBehavior: Readonly<Record<string, unknown>> = {
  'challenges.logic': 'any',
  'hints.type': 'standard',
  'awards.type': 'standard',
}

const usageData: Reason = [
  'It is about how the other platform was used, and nothing here depends on it.',
  'Nothing has to be done.',
]

const hiddenTopics: Reason = [
  'Only organizers see topics there, and players see the tags of a challenge here.',
  'Give challenges the tags that players may read.',
]
const fixedFields: Reason = [
  'Accounts and teams have a fixed list of fields here.',
  'Keep the export where you need what people entered.',
]

/** Tables that are not read. */
const ignoredTables: Readonly<Record<string, Reason>> = {
  alembic_version: ['It names the version of the database that the export was made of.', 'Nothing has to be done.'],
  unlocks: [
    'Who has opened which hint is not kept. What it cost is an award below nothing, and so on the board.',
    'Nothing has to be done.',
  ],
  topics: hiddenTopics,
  challenge_topics: hiddenTopics,
  fields: fixedFields,
  field_entries: fixedFields,
  comments: ['Comments of organizers have no place here.', keepExport],
  tracking: noAddresses,
  tokens: ['API tokens of another platform open nothing here.', 'Make new ones.'],
  ratings: ['Challenges are not rated here.', keepExport],
  solutions: ['Solutions are not part of a game here.', 'Publish them as a post.'],
  social_shares: usageData,
  audit_logs: usageData,
  dynamic: usageData,
  multiple_choice_challenge: ['Challenges have no choices here.', 'Write them into the description.'],
}

const unknownTable: Reason = [
  'This table belongs to an extension, or to a version that is not known here.',
  'Look whether something in it is needed, and keep the export.',
]

/** Tables of CTFd version 1. */
const versionOneTables = ['keys', 'wrong_keys']

/** Parses JSON in a text. Some databases export JSON columns as text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** True if a value is empty and needs no report. JSON text nested deeper than `maxJsonDepth` counts as a value. */
function isBlank(given: unknown, depth = 0): boolean {
  if (depth > maxJsonDepth) return false
  const value = parsed(given)
  return (
    value == null ||
    value === false ||
    value === 0 ||
    (typeof value === 'string' && ['', 'null'].includes(value.trim())) ||
    (typeof value === 'object' && Object.values(value).every((inner) => isBlank(inner, depth + 1)))
  )
}

function tableOf(name: string): string | undefined {
  return /^db\/([a-z0-9_]{1,64})\.json$/.exec(name)?.[1]
}
function isRead(table: string): table is TableName {
  return Object.hasOwn(tables, table)
}

/** First time with a year of five digits, in ms. */
const endOfTimeMs = Date.UTC(10_000, 0)

const referencedTables: ReadonlySet<TableName> = new Set(['users', 'teams', 'challenges'])

/** A row of a table with typed access to its columns. A value of the wrong type counts as absent. */
export class Row {
  readonly #values: JsonRow
  constructor(values: JsonRow) {
    this.#values = values
  }

  get id(): number {
    return this.int('id') ?? 0
  }

  int(column: string): number | undefined {
    const value = this.number(column)
    return value !== undefined && Number.isSafeInteger(value) ? value : undefined
  }

  number(column: string): number | undefined {
    const value = this.#values[column]
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  }

  /** Returns a text that PostgreSQL can store: without NUL and lone surrogates. */
  text(column: string): string {
    const value = this.#values[column]
    const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
    return text.replaceAll('\0', '').toWellFormed()
  }

  flag(column: string): boolean {
    const value = this.#values[column]
    return value === true || value === 1 || (typeof value === 'string' && ['1', 'true'].includes(value.trim().toLowerCase()))
  }

  /** Parses a time; UTC if it has no zone. @returns undefined if the database cannot store the time */
  time(column: string): Date | undefined {
    const text = this.text(column)
    if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined
    const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text)
    const time = new Date(hasZone ? text : `${text.replace(' ', 'T')}Z`)
    return time.getTime() >= 0 && time.getTime() < endOfTimeMs ? time : undefined
  }
}

export type CtfdTables = Readonly<Record<TableName, readonly Row[]>>

function quoted(text: string): string {
  return `\`${text.slice(0, 200)}\``
}

/** Maximum number of unused uploads that a finding names. */
const maxNamedUploads = 5

const uploadFolder = 'uploads/'

/** Returns the archive path of the file that a `files` row names. */
export function uploadPath(row: Row): string {
  return `${uploadFolder}${row.text('location')}`
}

function reportUnusedUploads(archive: Archive, files: readonly Row[], findings: Findings): void {
  const named = new Set(files.map(uploadPath))
  const paths = archive.tree.paths.filter((path) => path.startsWith(uploadFolder) && !named.has(path))
  if (paths.length === 0) return
  const others = paths.length > maxNamedUploads ? ` and ${paths.length - maxNamedUploads} others` : ''
  findings.add(
    {
      ...{ table: 'files', field: '', outcome: 'left-out' },
      why: `No row names these files: ${paths.slice(0, maxNamedUploads).map(quoted).join(', ')}${others}.`,
      advice: 'Upload by hand what a text shows, such as a picture.',
    },
    undefined,
    paths.length,
  )
}

/** @throws UnfitArchive if tables are missing or the format is unsupported */
function refuseOthers({ paths }: Archive['tree']): void {
  if (paths.some((path) => versionOneTables.some((table) => tableOf(path) === table)))
    throw new UnfitArchive('It is an export of CTFd 1: upgrade that platform to a version of today, and export there again.')
  const nested = paths.find((path) => path.endsWith('/db/config.json'))
  if (nested !== undefined && !paths.includes('db/config.json'))
    throw new UnfitArchive(
      `The export lies in the folder ${quoted(nested.slice(0, -'/db/config.json'.length))} of the zip: pack what is in that folder, not the folder.`,
    )
}

/** Reads the tables of an export and reports ignored tables and columns that are not empty. @throws UnfitArchive */
export async function readTables(archive: Archive, findings: Findings): Promise<CtfdTables> {
  refuseOthers(archive.tree)
  const found = Object.fromEntries(Object.keys(tables).map((name) => [name, [] as Row[]])) as Record<TableName, Row[]>
  const budget = newBudget()
  for (const name of archive.tree.paths) {
    const table = tableOf(name)
    if (table === undefined) {
      if (!name.startsWith(uploadFolder))
        findings.add({
          ...{ table: name.slice(0, 200), field: '', outcome: 'left-out' },
          ...{ why: 'Exports have no such file.', advice: 'Look whether it is needed.' },
        })
      continue
    }
    if (!isRead(table)) {
      const count = await countRows(archive.open(name))
      const [why, advice] = ignoredTables[table] ?? unknownTable
      if (count > 0) findings.add({ table, field: '', outcome: 'left-out', why, advice }, undefined, count)
      continue
    }
    const rows = await readRows(table, archive.open(name), budget)
    const columns: Columns = tables[table]
    found[table] = rows.map((row) => new Row(row))
    for (const [index, row] of rows.entries()) {
      for (const [field, value] of Object.entries(row)) {
        const fate = Object.hasOwn(columns, field) ? columns[field] : undefined
        if (fate === 'taken' || isBlank(value) || onlyBehavior[`${table}.${field}`] === value) continue
        const [why, advice] = fate ?? ['This column is not known here.', keepExport]
        findings.add({ table, field: field.slice(0, 64), outcome: 'left-out', why, advice }, found[table][index]?.id)
      }
    }
    if (referencedTables.has(table) && new Set(found[table].map(({ id }) => id)).size < rows.length)
      throw new UnfitArchive(`The table ${table} has two rows of one id.`)
  }
  reportUnusedUploads(archive, found.files, findings)
  for (const [path, why] of archive.tree.leftOut ?? [])
    findings.add({
      ...{ table: 'archive', field: '', outcome: 'left-out', why: `${quoted(path)} ${why}: it is not read.` },
      advice: 'Upload it by hand if it is needed.',
    })
  return found
}
