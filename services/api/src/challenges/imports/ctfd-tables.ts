import { maxJsonDepth } from '@capstan/contract/limits'
import { UnfitArchive } from '../archives/unfit-archive.ts'
import type { Archive } from '../archives/zip-archive.ts'
import type { Findings } from './findings.ts'
import { createRowBudget, type JsonRow, readRowCount, readTableRows } from './json-rows.ts'

/** Reason why data is not imported, and advice. */
type Reason = readonly [why: string, advice: string]

/**
 * Columns of a table. The value of a column is `taken` if the import reads it. Otherwise, the value is the reason for ignoring the
 * column.
 */
type Columns = Readonly<Record<string, 'taken' | Reason>>

const keepExport = 'Keep the export if you need the data.'
const nowhere: Reason = ['Accounts do not have this field here.', keepExport]
const noTeamField: Reason = ['Teams do not have this field here.', keepExport]
const noAwardField: Reason = ['Awards here have only a title.', keepExport]
const privateAnswers: Reason = ['Only organizers see answers here.', 'No action is needed.']
const openAnswers: Reason = ['Players can change answers while the registration is open.', 'No action is needed.']
const noAddresses: Reason = ['IP addresses of players are not imported.', keepExport]

/** Tables that the conversion reads, with every documented column. */
const tables = {
  config: { id: 'taken', key: 'taken', value: 'taken' },
  brackets: { id: 'taken', name: 'taken', type: 'taken', description: ['Divisions here have only a name.', keepExport] },
  users: {
    ...{ id: 'taken', name: 'taken', email: 'taken', password: 'taken', type: 'taken', hidden: 'taken', banned: 'taken' },
    ...{ verified: 'taken', team_id: 'taken', bracket_id: 'taken', created: 'taken' },
    ...{ website: nowhere, affiliation: nowhere, country: nowhere, secret: nowhere },
    oauth_id: ['People log in with a password here, not through another service.', 'Reset the passwords of people who had none.'],
    language: ['The browser sets the language.', 'No action is needed.'],
    change_password: [
      'Accounts here cannot be required to change the password.',
      'Reset the password under Users if others know it.',
    ],
  },
  teams: {
    ...{ id: 'taken', name: 'taken', captain_id: 'taken', hidden: 'taken', banned: 'taken', bracket_id: 'taken' },
    ...{ email: noTeamField, website: noTeamField, affiliation: noTeamField, country: noTeamField, secret: noTeamField },
    created: ['Teams do not have this field here.', 'No action is needed.'],
    ...{ oauth_id: noTeamField },
    password: ['Teams have no password here.', 'No action is needed. Captains find an invitation code on the team page.'],
  },
  challenges: {
    ...{ id: 'taken', name: 'taken', description: 'taken', category: 'taken', value: 'taken', type: 'taken', state: 'taken' },
    ...{ connection_info: 'taken', attribution: 'taken', max_attempts: 'taken' },
    ...{ initial: 'taken', minimum: 'taken', decay: 'taken', function: 'taken' },
    requirements: 'taken',
    next_id: ['Players choose the order of challenges.', 'Name the next challenge in the description.'],
    logic: ['Each of the flags is accepted here.', 'Ask for one answer that combines all flags.'],
    position: ['Challenges are ordered by title here.', 'Number the titles if the order matters.'],
  },
  dynamic_challenge: {
    ...{ id: 'taken', initial: 'taken', minimum: 'taken', decay: 'taken', function: 'taken', dynamic_initial: 'taken' },
    ...{ dynamic_minimum: 'taken', dynamic_decay: 'taken', dynamic_function: 'taken' },
  },
  flags: { id: 'taken', challenge_id: 'taken', type: 'taken', content: 'taken', data: 'taken' },
  hints: {
    ...{ id: 'taken', challenge_id: 'taken', content: 'taken', cost: 'taken', title: 'taken' },
    type: ['All hints have the same type here.', 'Check the hint in the challenge.'],
    requirements: ['Hints do not depend on each other here.', 'Combine hints that depend on each other.'],
  },
  tags: { id: 'taken', challenge_id: 'taken', value: 'taken' },
  files: {
    ...{ id: 'taken', type: 'taken', location: 'taken', challenge_id: 'taken', page_id: 'taken', sha1sum: 'taken' },
    solution_id: ['Games here have no solutions.', 'Publish it in a post.'],
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
    ...{ format: 'taken', link_target: ['Posts are ordered by date.', 'No action is needed.'] },
  },
  fields: {
    ...{ id: 'taken', name: 'taken', type: 'taken', field_type: 'taken', description: 'taken', required: 'taken' },
    ...{ public: privateAnswers, editable: openAnswers },
  },
  field_entries: { id: 'taken', type: 'taken', value: 'taken', field_id: 'taken', user_id: 'taken', team_id: 'taken' },
  notifications: {
    ...{ id: 'taken', title: 'taken', content: 'taken', date: 'taken', user_id: 'taken', team_id: 'taken' },
  },
} as const satisfies Record<string, Columns>

export type TableName = keyof typeof tables

/** Column values that need no report, because they describe the normal behavior of this platform. */
const onlyBehavior: Readonly<Record<string, unknown>> = {
  'challenges.logic': 'any',
  'hints.type': 'standard',
  'awards.type': 'standard',
}

const usageData: Reason = [
  'The table contains usage data of the other platform, which is not needed here.',
  'No action is needed.',
]

const hiddenTopics: Reason = [
  'Topics are only visible to organizers, but tags are visible to players.',
  'Add suitable topics as tags to the challenges.',
]

const ignoredTables: Readonly<Record<string, Reason>> = {
  alembic_version: ['The table contains only the database version of the other platform.', 'No action is needed.'],
  unlocks: [
    'Unlocked hints are not imported. Their costs are negative awards, so the points are the same.',
    'Make the hints free if teams of the imported game continue to play.',
  ],
  topics: hiddenTopics,
  challenge_topics: hiddenTopics,
  comments: ['Comments of organizers are not supported.', keepExport],
  tracking: noAddresses,
  tokens: ['API tokens of another platform do not work here.', 'Create new tokens.'],
  ratings: ['Ratings of challenges are not supported.', keepExport],
  solutions: ['Games here have no solutions.', 'Publish them in a post.'],
  social_shares: usageData,
  audit_logs: usageData,
  dynamic: usageData,
  multiple_choice_challenge: ['Multiple-choice challenges are not supported.', 'List the choices in the description.'],
}

const unknownTable: Reason = [
  'This table is unknown: it comes from an extension or another version.',
  'Check whether you need its data, and keep the export.',
]

const versionOneTables = ['keys', 'wrong_keys']

/** Parses JSON in a text, because some databases export JSON columns as text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** True if a value is empty and needs no report. JSON text that is nested deeper than `maxJsonDepth` counts as a value. */
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

/** Start of the year 10000, in ms since 1970. Later times are not supported. */
const endOfTimeMs = Date.UTC(10_000, 0)

const referencedTables: ReadonlySet<TableName> = new Set(['users', 'teams', 'challenges'])

/** Row of a table, with methods that read columns as values of a certain type. A value of the wrong type counts as absent. */
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

  /** Returns the value of a column as a text. Removes NUL characters and lone surrogates, because PostgreSQL cannot store them. */
  text(column: string): string {
    const value = this.#values[column]
    const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
    return text.replaceAll('\0', '').toWellFormed()
  }

  /** Returns the value of a column. If the value is a text with JSON, returns the parsed JSON. */
  json(column: string): unknown {
    return parsed(this.#values[column])
  }

  flag(column: string): boolean {
    const value = this.#values[column]
    return value === true || value === 1 || (typeof value === 'string' && ['1', 'true'].includes(value.trim().toLowerCase()))
  }

  /** Parses a time. If it has no zone, UTC is assumed. @returns undefined if the database cannot store the time */
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

/** Returns the archive path of the file to which a `files` row refers. */
export function pathOfUpload(row: Row): string {
  return `${uploadFolder}${row.text('location')}`
}

function reportUnusedUploads(archive: Archive, files: readonly Row[], findings: Findings): void {
  const named = new Set(files.map(pathOfUpload))
  const paths = archive.tree.paths.filter((path) => path.startsWith(uploadFolder) && !named.has(path))
  if (paths.length === 0) return
  const others = paths.length > maxNamedUploads ? ` and ${paths.length - maxNamedUploads} others` : ''
  findings.add(
    {
      ...{ table: 'files', field: '', outcome: 'left-out' },
      why: `No row refers to these files: ${paths.slice(0, maxNamedUploads).map(quoted).join(', ')}${others}.`,
      advice: 'Manually upload files that texts show, such as pictures.',
    },
    undefined,
    paths.length,
  )
}

/** @throws UnfitArchive if tables are missing or the format is unsupported */
function refuseUnsupported({ paths }: Archive['tree']): void {
  if (paths.some((path) => versionOneTables.some((table) => tableOf(path) === table)))
    throw new UnfitArchive('Exports of CTFd 1 are not supported. Upgrade CTFd to a current version and export again.')
  const nested = paths.find((path) => path.endsWith('/db/config.json'))
  if (nested !== undefined && !paths.includes('db/config.json'))
    throw new UnfitArchive(
      `The export is in the folder ${quoted(nested.slice(0, -'/db/config.json'.length))} of the archive. Pack the content of that folder, without the folder.`,
    )
}

/** Reads the tables of an export. Reports ignored tables and columns that are not empty. @throws UnfitArchive */
export async function readCtfdTables(archive: Archive, findings: Findings): Promise<CtfdTables> {
  refuseUnsupported(archive.tree)
  const found = Object.fromEntries(Object.keys(tables).map((name) => [name, [] as Row[]])) as Record<TableName, Row[]>
  const budget = createRowBudget()
  for (const name of archive.tree.paths) {
    const table = tableOf(name)
    if (table === undefined) {
      if (!name.startsWith(uploadFolder))
        findings.add({
          ...{ table: name.slice(0, 200), field: '', outcome: 'left-out' },
          ...{ why: 'CTFd exports do not contain this file.', advice: 'Check whether you need it.' },
        })
      continue
    }
    if (!isRead(table)) {
      const count = await readRowCount(archive.open(name))
      const [why, advice] = ignoredTables[table] ?? unknownTable
      if (count > 0) findings.add({ table, field: '', outcome: 'left-out', why, advice }, undefined, count)
      continue
    }
    const rows = await readTableRows(table, archive.open(name), budget)
    const columns: Columns = tables[table]
    found[table] = rows.map((row) => new Row(row))
    for (const [index, row] of rows.entries()) {
      for (const [field, value] of Object.entries(row)) {
        const fate = Object.hasOwn(columns, field) ? columns[field] : undefined
        if (fate === 'taken' || isBlank(value) || onlyBehavior[`${table}.${field}`] === value) continue
        const [why, advice] = fate ?? ['This column is unknown.', keepExport]
        findings.add({ table, field: field.slice(0, 64), outcome: 'left-out', why, advice }, found[table][index]?.id)
      }
    }
    if (referencedTables.has(table) && new Set(found[table].map(({ id }) => id)).size < rows.length)
      throw new UnfitArchive(`The table ${table} has two rows with the same id.`)
  }
  reportUnusedUploads(archive, found.files, findings)
  for (const [path, why] of archive.tree.leftOut ?? [])
    findings.add({
      ...{ table: 'archive', field: '', outcome: 'left-out', why: `${quoted(path)} ${why} and was not imported.` },
      advice: 'Upload it manually if you need it.',
    })
  return found
}
