import { bulkUserRules, isPasswordHash } from '@capstan/contract/account-rules'
import type { BulkUser } from '@capstan/contract/admin'
import { parseImportedHash } from '@capstan/contract/foreign-hash'
import { type CsvRow, parseCsv } from './csv.ts'

/** Columns of a user list, in the default order. */
export const bulkColumns = ['userName', 'password', 'email', 'realName', 'stdNumber', 'phone', 'teamName'] as const
export type BulkColumn = (typeof bulkColumns)[number]

export type BulkFault =
  | BulkColumn
  | 'passwordHash'
  | 'banned'
  | 'userNameTwice'
  | 'emailTwice'
  | 'own'
  | 'tooManyColumns'
  | 'quote'

export type BulkRow = Readonly<{
  /** Line number in the pasted text, starting at 1. */
  line: number
  values: Readonly<Record<BulkColumn, string>>
  faults: readonly BulkFault[]
  /**
   * True for the first user of a team in the list. This user becomes the captain if the team is new
   * (docs/contract/admin.md#adding-many-users).
   */
  isCaptain: boolean
}>

/** Words for each column in the languages of the interface. The first words are the column headings of the preview. */
const headings: Readonly<Record<BulkColumn, readonly string[]>> = {
  userName: [
    ...['Username', '用户名', '使用者名稱', 'ユーザー名', 'Nama pengguna', '사용자 이름', 'Имя пользователя', 'Benutzername'],
    ...['Nom d’utilisateur', 'Nombre de usuario'],
    ...[
      'User',
      'Login',
      'Account',
      'Nickname',
      '账号',
      '帳號',
      'アカウント',
      '아이디',
      'Логин',
      'Nutzername',
      'Identifiant',
      'Usuario',
    ],
  ],
  password: [
    ...['Password', '密码', '密碼', 'パスワード', 'Kata sandi', '비밀번호', 'Пароль', 'Passwort', 'Mot de passe', 'Contraseña'],
    ...['Kennwort', 'Clave', 'Sandi', '암호'],
  ],
  email: [
    ...['Email', '邮箱', '電子郵件', 'メールアドレス', '이메일', 'Почта', 'E-Mail', 'Correo'],
    ...['Mail', 'Email address', '电子邮件', '电子邮箱', '邮件', '信箱', 'メール', 'Surel', 'Эл. почта', 'Электронная почта'],
    ...['E-Mail-Adresse', 'Mailadresse', 'Adresse e-mail', 'Courriel', 'Correo electrónico'],
  ],
  realName: [
    ...[
      'Real name',
      '真实姓名',
      '真實姓名',
      '氏名',
      'Nama asli',
      '실명',
      'Настоящее имя',
      'Echter Name',
      'Nom réel',
      'Nombre real',
    ],
    ...['Full name', '姓名', '本名', 'Nama lengkap', '성명', 'ФИО', 'Vollständiger Name', 'Nom complet', 'Nombre completo'],
  ],
  stdNumber: [
    ...['Student ID', '学号', '學號', '学籍番号', 'Nomor mahasiswa', '학번', 'Номер студенческого', 'Matrikelnummer'],
    ...['Numéro d’étudiant', 'Número de estudiante', 'Std number', 'Student number', 'Number'],
  ],
  phone: [
    ...['Phone', '电话', '電話', 'Telepon', '전화번호', 'Телефон', 'Telefon', 'Téléphone', 'Teléfono'],
    ...['Phone number', '手机', '手机号', '電話番号', 'Telefonnummer'],
  ],
  teamName: [
    'Team',
    '队伍',
    '隊伍',
    'チーム',
    'Tim',
    '팀',
    'Команда',
    'Équipe',
    'Equipo',
    'Team name',
    '队名',
    '隊名',
    'チーム名',
  ],
}

/** Returns a heading in lower case, without accents, spaces and signs. */
function plainHeading(heading: string): string {
  return heading
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}

const columnNames: ReadonlyMap<string, BulkColumn> = new Map(
  bulkColumns.flatMap((column) => [...headings[column], column].map((heading) => [plainHeading(heading), column] as const)),
)

/**
 * Words for "Name" in the languages of the interface. A column with this heading contains the user name, or the real name if
 * another column contains the user name.
 */
const plainNames = new Set(['Name', '名称', '名稱', '名字', '名前', 'Nama', '이름', 'Имя', 'Nom', 'Nombre'].map(plainHeading))

type Header = Readonly<{
  /** Meaning of each column. Undefined for a skipped column. */
  columns: readonly (BulkColumn | undefined)[]
  /** Index of the column that marks banned users, or -1. */
  banned: number
}>

/**
 * Returns the meaning of each column, derived from the first line.
 * @returns undefined if the first line is a user and not a header
 */
function readHeader(row: CsvRow | undefined): Header | undefined {
  if (!row) return undefined
  const plain = row.values.map(plainHeading)
  const named = plain.map((heading) => columnNames.get(heading))
  const nameIs = named.includes('userName') ? 'realName' : 'userName'
  const all = named.map((column, at) => column ?? (plainNames.has(plain[at] ?? '') ? nameIs : undefined))
  // If two columns have the same meaning, only the first one is used.
  const columns = all.map((column, at) => (all.indexOf(column) === at ? column : undefined))
  return columns.includes('userName') && columns.includes('email') ? { columns, banned: plain.indexOf('banned') } : undefined
}

export function listSkippedColumns(text: string): readonly string[] {
  const [first] = parseCsv(text).rows
  const header = readHeader(first)
  return header && first ? first.values.filter((heading, at) => heading !== '' && header.columns[at] === undefined) : []
}

function isTrue(value: string | undefined): boolean {
  return /^(?:true|t|yes|y|1)$/i.test(value ?? '')
}

/** Returns values that occur more than once, regardless of case. */
function repeated(values: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const value of values.map((each) => each.toLowerCase()).filter(Boolean)) (seen.has(value) ? twice : seen).add(value)
  return twice
}

type Account = Readonly<Record<'userName' | 'email', string | null>>

function isSame(one: string, other: string | null | undefined) {
  return one !== '' && one.toLowerCase() === other?.toLowerCase()
}

/**
 * Parses a pasted list, and validates every row by the rules of docs/contract/admin.md#adding-many-users.
 * @param own current account. A row with the name of this account is refused, because it would overwrite the admin's password
 */
export function parseUserList(text: string, own?: Account): readonly BulkRow[] {
  const { rows, openQuoteLine } = parseCsv(text)
  const header = readHeader(rows[0])
  const columns = header?.columns ?? bulkColumns
  const lines = (header ? rows.slice(1) : rows).map(({ line, values }) => {
    const valueAt = (column: BulkColumn) => values[columns.indexOf(column)] ?? ''
    return {
      line,
      values: Object.fromEntries(bulkColumns.map((column) => [column, valueAt(column)])) as Record<BulkColumn, string>,
      isBanned: isTrue(values[header?.banned ?? -1]),
      hasExtra: values.slice(columns.length).some((value) => value !== ''),
    }
  })
  const namesTwice = repeated(lines.map(({ values }) => values.userName))
  const emailsTwice = repeated(lines.map(({ values }) => values.email))
  const teams = new Set<string>()
  return lines.map(({ line, values, isBanned, hasExtra }, index) => {
    const team = values.teamName.toLowerCase()
    const isCaptain = team !== '' && !teams.has(team)
    teams.add(team)
    const isHash = isPasswordHash(values.password)
    const faults: BulkFault[] = bulkColumns.filter(
      (column) => !(isHash && column === 'password') && !bulkUserRules[column](values[column]),
    )
    if (isHash && !parseImportedHash(values.password.trim())) faults.push('passwordHash')
    if (isBanned) faults.push('banned')
    if (namesTwice.has(values.userName.toLowerCase())) faults.push('userNameTwice')
    if (emailsTwice.has(values.email.toLowerCase())) faults.push('emailTwice')
    if (isSame(values.userName, own?.userName) || isSame(values.email, own?.email)) faults.push('own')
    if (hasExtra) faults.push('tooManyColumns')
    if (openQuoteLine !== undefined && index === lines.length - 1) faults.push('quote')
    return { line, values, faults, isCaptain }
  })
}

export function countTeams(rows: readonly BulkRow[]): number {
  return rows.filter(({ isCaptain }) => isCaptain).length
}

/** Returns the request body that adds the users. It omits empty values, so that the server retains the values of existing users. */
export function toAddUsersRequest(rows: readonly BulkRow[]): BulkUser[] {
  return rows.map(({ values: { userName, password, email, ...more } }) => ({
    userName,
    password,
    email,
    ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== '')),
  }))
}

/** Finds the row to which the JSON pointer of an error points (`/3/email`). */
export function findRowByJsonPointer(rows: readonly BulkRow[], pointer: string | undefined): BulkRow | undefined {
  const index = /^\/(\d+)/.exec(pointer ?? '')?.[1]
  return index === undefined ? undefined : rows[Number(index)]
}
