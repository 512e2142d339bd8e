import { bulkUserRules } from '@capstan/contract/account-rules'
import type { BulkUser } from '@capstan/contract/admin'
import { type CsvRow, readCsv } from './csv.ts'

/** The columns of a list of users, in the order used without a header line. */
export const bulkColumns = ['userName', 'password', 'email', 'realName', 'stdNumber', 'phone', 'teamName'] as const
export type BulkColumn = (typeof bulkColumns)[number]

export type BulkFault = BulkColumn | 'userNameTwice' | 'emailTwice' | 'own' | 'tooManyColumns' | 'quote'

/** A user as read from one line, with what is wrong. */
export interface BulkRow {
  /** From 1, in the pasted text. */
  readonly line: number
  readonly values: Readonly<Record<BulkColumn, string>>
  readonly faults: readonly BulkFault[]
  /** First of its team: becomes the captain (docs/contract/admin.md#adding-many-users). */
  readonly isCaptain: boolean
}

/** Names of columns in header lines, without case, blanks and signs. */
const columnNames: Readonly<Record<string, BulkColumn>> = {
  username: 'userName',
  user: 'userName',
  name: 'userName',
  login: 'userName',
  password: 'password',
  email: 'email',
  mail: 'email',
  emailaddress: 'email',
  realname: 'realName',
  fullname: 'realName',
  stdnumber: 'stdNumber',
  studentnumber: 'stdNumber',
  studentid: 'stdNumber',
  number: 'stdNumber',
  phone: 'phone',
  phonenumber: 'phone',
  team: 'teamName',
  teamname: 'teamName',
}

const columnOf = (heading: string) => columnNames[heading.toLowerCase().replaceAll(/[^a-z]/g, '')]

/** The columns that a first line names; undefined if it is no header line but a user. */
function readHeader(row: CsvRow | undefined): readonly (BulkColumn | undefined)[] | undefined {
  if (!row) return undefined
  const columns = row.values.map(columnOf)
  return columns.includes('userName') && columns.includes('email') ? columns : undefined
}

/** Values that occur more than once, letter case ignored. */
function repeated(values: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const value of values.map((each) => each.toLowerCase()).filter(Boolean)) (seen.has(value) ? twice : seen).add(value)
  return twice
}

type Account = Readonly<Record<'userName' | 'email', string | null>>

const isSame = (one: string, other: string | null | undefined) => one !== '' && one.toLowerCase() === other?.toLowerCase()

/**
 * Reads a pasted list and checks every row by the rules of docs/contract/admin.md#adding-many-users.
 * @param own account of who pastes it: a row that exists is overwritten, and nobody means to lose their own password
 */
export function readBulkUsers(text: string, own?: Account): readonly BulkRow[] {
  const { rows, openQuoteLine } = readCsv(text)
  const header = readHeader(rows[0])
  const columns = header ?? bulkColumns
  const lines = (header ? rows.slice(1) : rows).map(({ line, values }) => {
    const valueAt = (column: BulkColumn) => values[columns.indexOf(column)] ?? ''
    return {
      line,
      values: Object.fromEntries(bulkColumns.map((column) => [column, valueAt(column)])) as Record<BulkColumn, string>,
      hasExtra: values.slice(columns.length).some((value) => value !== ''),
    }
  })
  const namesTwice = repeated(lines.map(({ values }) => values.userName))
  const emailsTwice = repeated(lines.map(({ values }) => values.email))
  const teams = new Set<string>()
  return lines.map(({ line, values, hasExtra }, index) => {
    const isCaptain = values.teamName !== '' && !teams.has(values.teamName)
    teams.add(values.teamName)
    const faults: BulkFault[] = bulkColumns.filter((column) => !bulkUserRules[column](values[column]))
    if (namesTwice.has(values.userName.toLowerCase())) faults.push('userNameTwice')
    if (emailsTwice.has(values.email.toLowerCase())) faults.push('emailTwice')
    if (isSame(values.userName, own?.userName) || isSame(values.email, own?.email)) faults.push('own')
    if (hasExtra) faults.push('tooManyColumns')
    if (openQuoteLine !== undefined && index === lines.length - 1) faults.push('quote')
    return { line, values, faults, isCaptain }
  })
}

/** How many teams the rows will make. */
export const countTeams = (rows: readonly BulkRow[]): number => rows.filter(({ isCaptain }) => isCaptain).length

/** The body of the call: what is empty is left out, so that existing users keep it. */
export const toBulkUsers = (rows: readonly BulkRow[]): BulkUser[] =>
  rows.map(({ values: { userName, password, email, ...more } }) => ({
    userName,
    password,
    email,
    ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== '')),
  }))

/** The row that a refusal's JSON pointer (`/3/email`) means. */
export function rowOfPointer(rows: readonly BulkRow[], pointer: string | undefined): BulkRow | undefined {
  const index = /^\/(\d+)/.exec(pointer ?? '')?.[1]
  return index === undefined ? undefined : rows[Number(index)]
}
