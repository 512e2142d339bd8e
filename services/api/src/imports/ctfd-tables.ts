import { UnfitArchive } from '../archives/unfit-archive.ts'
import type { Archive } from '../archives/zip-archive.ts'
import type { Findings } from './findings.ts'
import { countRows, type JsonRow, newBudget, readRows } from './json-rows.ts'

/** What becomes of a column: `taken`, or the sentence that says why it is not. */
type Columns = Readonly<Record<string, 'taken' | string>>

const nowhere = 'Accounts have no such field here.'
const noTeamField = 'Teams have no such field here.'
const settledHere = 'Every challenge can be solved without another.'

/** Tables that are read, with every column that the format documents. */
const tables = {
  config: { id: 'taken', key: 'taken', value: 'taken' },
  brackets: { id: 'taken', name: 'taken', type: 'taken', description: 'Divisions have a name alone.' },
  users: {
    ...{ id: 'taken', name: 'taken', email: 'taken', password: 'taken', type: 'taken', hidden: 'taken', banned: 'taken' },
    ...{ verified: 'taken', team_id: 'taken', bracket_id: 'taken', created: 'taken', oauth_id: 'taken' },
    ...{ website: nowhere, affiliation: nowhere, country: nowhere },
    ...{ secret: nowhere, language: 'The language is that of the browser.' },
    change_password: 'Nobody is made to change the password here.',
  },
  teams: {
    ...{
      id: 'taken',
      name: 'taken',
      captain_id: 'taken',
      hidden: 'taken',
      banned: 'taken',
      bracket_id: 'taken',
      created: 'taken',
    },
    ...{ email: noTeamField, website: noTeamField, affiliation: noTeamField, country: noTeamField, secret: noTeamField },
    ...{ oauth_id: noTeamField, password: 'Teams have no password here: people join by the invitation code.' },
  },
  challenges: {
    ...{ id: 'taken', name: 'taken', description: 'taken', category: 'taken', value: 'taken', type: 'taken', state: 'taken' },
    ...{ connection_info: 'taken', attribution: 'taken' },
    max_attempts: 'How often a team may try is not limited here.',
    ...{ requirements: settledHere, next_id: 'Players choose what comes next.' },
    ...{ initial: 'taken', minimum: 'taken', decay: 'taken', function: 'taken' },
    ...{ logic: 'Any of the flags is right here.', position: 'Challenges are ordered by title here.' },
  },
  dynamic_challenge: {
    ...{ id: 'taken', initial: 'taken', minimum: 'taken', decay: 'taken', function: 'taken', dynamic_initial: 'taken' },
    ...{ dynamic_minimum: 'taken', dynamic_decay: 'taken', dynamic_function: 'taken' },
  },
  flags: { id: 'taken', challenge_id: 'taken', type: 'taken', content: 'taken', data: 'taken' },
  hints: {
    ...{ id: 'taken', challenge_id: 'taken', content: 'taken', cost: 'taken', title: 'taken', type: 'taken' },
    requirements: 'Every hint can be read without another here.',
  },
  tags: { id: 'taken', challenge_id: 'taken', value: 'taken' },
  files: {
    ...{ id: 'taken', type: 'taken', location: 'taken', challenge_id: 'taken', page_id: 'taken', sha1sum: 'taken' },
    solution_id: 'Solutions are not part of a game here.',
  },
  submissions: {
    ...{
      id: 'taken',
      challenge_id: 'taken',
      user_id: 'taken',
      team_id: 'taken',
      provided: 'taken',
      type: 'taken',
      date: 'taken',
    },
    ip: 'Addresses of players are not taken over.',
  },
  solves: { id: 'taken', challenge_id: 'taken', user_id: 'taken', team_id: 'taken' },
  awards: {
    ...{ id: 'taken', user_id: 'taken', team_id: 'taken', name: 'taken', description: 'taken', date: 'taken', value: 'taken' },
    ...{ category: 'Awards have a title alone.', icon: 'Awards have a title alone.', requirements: 'Awards have a title alone.' },
    type: 'taken',
  },
  pages: {
    ...{ id: 'taken', title: 'taken', route: 'taken', content: 'taken', draft: 'taken', hidden: 'taken', auth_required: 'taken' },
    ...{ format: 'taken', link_target: 'Posts are listed by their date.' },
  },
  notifications: {
    ...{ id: 'taken', title: 'taken', content: 'taken', date: 'taken', user_id: 'taken', team_id: 'taken' },
  },
} as const satisfies Record<string, Columns>

export type TableName = keyof typeof tables

const notKept = 'It is about how the other platform was used, and nothing here depends on it.'

const hiddenTopics = 'Only organizers see topics there, and players see the tags of a challenge here.'

/** Tables that are not read: why, and what to do about it. */
const unread: Readonly<Record<string, readonly [why: string, advice?: string]>> = {
  alembic_version: ['It names the version of the database that the export was made of.'],
  unlocks: ['Who has opened which hint is not kept. What it cost is an award below nothing, and so on the board.'],
  topics: [hiddenTopics, 'Give challenges the tags that players may read.'],
  challenge_topics: [hiddenTopics],
  fields: ['Accounts and teams have a fixed list of fields here.', 'Keep the export where you need what people entered.'],
  field_entries: ['Accounts and teams have a fixed list of fields here.', 'Keep the export where you need what people entered.'],
  comments: ['Comments of organizers have no place here.'],
  tracking: ['Addresses of players are not taken over.'],
  tokens: ['API tokens of another platform open nothing here.', 'Make new ones.'],
  ratings: ['Challenges are not rated here.'],
  solutions: ['Solutions are not part of a game here.', 'Publish them as a post.'],
  social_shares: [notKept],
  audit_logs: [notKept],
  dynamic: [notKept],
}

/** Nothing to tell of. */
const isBlank = (value: unknown): boolean =>
  value == null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (typeof value === 'string' && ['', 'null', '{}', '[]'].includes(value.trim())) ||
  (typeof value === 'object' && Object.values(value).every(isBlank))

const tableOf = (name: string): string | undefined => /^db\/([a-z0-9_]{1,64})\.json$/.exec(name)?.[1]
const isRead = (table: string): table is TableName => Object.hasOwn(tables, table)

/** Years have four digits. */
const endOfTimeMs = Date.UTC(10_000, 0)

/** Tables whose rows others refer to by their ids. */
const referredTo: ReadonlySet<TableName> = new Set(['users', 'teams', 'challenges'])

/** A value of a row in the type that its column has. Whatever else it is counts as none. */
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

  /** As PostgreSQL takes it: without NUL and lone surrogates. */
  text(column: string): string {
    const value = this.#values[column]
    const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
    return text.replaceAll('\0', '').toWellFormed()
  }

  flag(column: string): boolean {
    const value = this.#values[column]
    return value === true || value === 1 || value === '1' || value === 'true'
  }

  /** Times without a zone are UTC. What the database cannot hold is none. */
  time(column: string): Date | undefined {
    const text = this.text(column)
    if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined
    const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text)
    const time = new Date(hasZone ? text : `${text.replace(' ', 'T')}Z`)
    return time.getTime() >= 0 && time.getTime() < endOfTimeMs ? time : undefined
  }
}

export type CtfdTables = Readonly<Record<TableName, readonly Row[]>>

/**
 * The tables of an export. What is in other tables and columns is told, unless it is empty.
 * @throws UnfitArchive
 */
export const readTables = async (archive: Archive, findings: Findings): Promise<CtfdTables> => {
  const found = Object.fromEntries(Object.keys(tables).map((name) => [name, [] as Row[]])) as Record<TableName, Row[]>
  const budget = newBudget()
  for (const name of archive.tree.paths) {
    const table = tableOf(name)
    if (table === undefined) {
      if (!name.startsWith('uploads/'))
        findings.add({ table: name.slice(0, 200), field: '', outcome: 'left-out', why: 'Exports have no such file.' })
      continue
    }
    if (!isRead(table)) {
      const count = await countRows(archive.open(name))
      const [why, advice] = unread[table] ?? ['This table belongs to an extension, or to a version that is not known here.']
      if (count > 0) findings.add({ table, field: '', outcome: 'left-out', why, ...(advice && { advice }) }, undefined, count)
      continue
    }
    const rows = await readRows(table, archive.open(name), budget)
    const columns: Columns = tables[table]
    for (const row of rows) {
      const { id: given } = row
      const id = typeof given === 'number' ? given : null
      for (const [field, value] of Object.entries(row)) {
        const fate = Object.hasOwn(columns, field) ? columns[field] : 'This column is not known here.'
        if (fate === 'taken' || fate === undefined || isBlank(value)) continue
        findings.add({ table, field: field.slice(0, 64), outcome: 'left-out', why: fate }, id)
      }
    }
    found[table] = rows.map((row) => new Row(row))
    if (referredTo.has(table) && new Set(found[table].map(({ id }) => id)).size < rows.length)
      throw new UnfitArchive(`The table ${table} has two rows of one id.`)
  }
  return found
}
