import { createHmac } from 'node:crypto'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { strToU8, type Zippable, zipSync } from 'fflate'

export type ExportRow = Record<string, unknown>
export type ExportTables = Record<string, ExportRow[]>

function table(rows: readonly ExportRow[]): string {
  return JSON.stringify({ count: rows.length, results: rows, meta: {} })
}

/** Creates the zip file of an export with `db/<table>.json` and `uploads/`. */
export function createExportZip(
  tables: ExportTables,
  uploads: Record<string, string> = {},
  texts: Record<string, string> = {},
): Buffer {
  const files: Zippable = {}
  for (const [name, text] of Object.entries(texts)) files[`db/${name}.json`] = strToU8(text)
  for (const [name, rows] of Object.entries(tables)) files[`db/${name}.json`] = strToU8(table(rows))
  for (const [name, content] of Object.entries(uploads)) files[`uploads/${name}`] = strToU8(content)
  return Buffer.from(zipSync(files, { level: 1 }))
}

/** Hashes a password with passlib's bcrypt-sha256. @param cost cost of the hash. CTFd uses 12. The default is the minimum */
async function hashAsThere(password: string, cost = 4): Promise<string> {
  // Hash an empty text to get a random salt in the format of bcrypt.
  const setting = (await bcrypt('', { cost: 4 })).slice(0, 29).replace('$04$', `$${String(cost).padStart(2, '0')}$`)
  const salt = setting.slice(7)
  const made = await bcrypt(createHmac('sha256', salt).update(password).digest('base64'), { salt: setting })
  return `$bcrypt-sha256$v=2,t=2b,r=${cost}$${salt}$${made.slice(29)}`
}

export function createSettingRows(mode: 'users' | 'teams', more: Record<string, string> = {}): ExportRow[] {
  return Object.entries({
    ...{ ctf_name: 'Winter Games', ctf_description: 'Last year’s event', user_mode: mode },
    ...{ start: '1700000000', end: '1700086400', ...more },
  }).map(([key, value], index) => ({ id: index + 1, key, value }))
}

export function aUserRow(id: number, more: ExportRow = {}): ExportRow {
  return {
    ...{ id, oauth_id: null, name: `player ${id}`, password: null, email: `player${id}@example.org`, type: 'user', secret: null },
    ...{ website: null, affiliation: null, country: null, bracket_id: null, hidden: false, banned: false, verified: true },
    ...{ language: null, change_password: false, team_id: null, created: '2023-11-01T10:00:00.000000' },
    ...more,
  }
}

export function aChallengeRow(id: number, more: ExportRow = {}): ExportRow {
  return {
    ...{ id, name: `Challenge ${id}`, description: `Solve ${id}.`, attribution: null, connection_info: null, next_id: null },
    ...{ max_attempts: 0, value: 100, category: 'crypto', type: 'standard', state: 'visible', requirements: null },
    ...more,
  }
}

/** Returns the time that is `second` seconds after the start of the game. */
function timeAt(second: number): string {
  return new Date(1_700_000_000_000 + second * 1000).toISOString().replace('Z', '000')
}

/** Returns the stored value of a dynamic challenge. It decreases to the minimum with the square of the number of solves. */
function dynamicValue(solves: number, { initial, minimum, decay }: { initial: number; minimum: number; decay: number }): number {
  return Math.max(minimum, Math.ceil(((minimum - initial) / decay ** 2) * Math.max(0, solves - 1) ** 2 + initial))
}

export type ExportSize = Readonly<{
  users: number
  challenges: number
  solves: number
  mode: 'users' | 'teams'
  cost?: number
}>

const teamSize = 4

/**
 * Creates an export of a finished game. Equal arguments give an equal export.
 * @returns the export, and the points of each account on the exported board, by account name
 */
export async function createCtfdExport({ users, challenges, solves, mode, cost }: ExportSize) {
  const passwordOf = (id: number): string => `Winter-${id}-pw`
  const hashes = await Promise.all(Array.from({ length: users }, (_, index) => hashAsThere(passwordOf(index + 1), cost)))
  const accounts = mode === 'users' ? users : Math.ceil(users / teamSize)
  const accountOf = (userId: number): number => (mode === 'users' ? userId : Math.ceil(userId / teamSize))
  const userRows = hashes.map((password, index) =>
    aUserRow(index + 1, { password, team_id: mode === 'teams' ? accountOf(index + 1) : null }),
  )
  const teamRows = Array.from({ length: mode === 'teams' ? accounts : 0 }, (_, index) => ({
    ...{ id: index + 1, name: `team ${index + 1}`, captain_id: index * teamSize + 1, hidden: index % 50 === 49, banned: false },
    created: '2023-11-01T10:00:00',
  }))
  const isHidden = (account: number): boolean => mode === 'teams' && account % 50 === 0

  const submissions: ExportRow[] = []
  const solveRows: ExportRow[] = []
  const solved = new Set<string>()
  const solvers = new Map<number, number>()
  // Each account tries all challenges in turn. Different accounts begin with different challenges.
  for (let step = 0; solveRows.length < solves && step < users * challenges; step++) {
    const userId = (step % users) + 1
    const account = accountOf(userId)
    const challenge = ((Math.floor(step / users) + account * 3) % challenges) + 1
    const who = { challenge_id: challenge, user_id: userId, team_id: mode === 'teams' ? account : null }
    const second = step + 1
    if (step % 5 === 0)
      submissions.push({
        id: submissions.length + 1,
        ...who,
        ip: '192.0.2.1',
        provided: `wrong ${step}`,
        type: 'incorrect',
        date: timeAt(second),
      })
    if (solved.has(`${account} ${challenge}`)) continue
    solved.add(`${account} ${challenge}`)
    if (!isHidden(account)) solvers.set(challenge, (solvers.get(challenge) ?? 0) + 1)
    const id = submissions.length + 1
    submissions.push({ id, ...who, ip: '192.0.2.1', provided: `flag{${challenge}}`, type: 'correct', date: timeAt(second) })
    solveRows.push({ id, ...who })
  }

  const curve = { initial: 500, minimum: 100, decay: Math.max(2, accounts / 4) }
  const isDynamic = (id: number): boolean => id % 2 === 0
  const pointsOf = (id: number): number => (isDynamic(id) ? dynamicValue(solvers.get(id) ?? 0, curve) : 100 + id)
  const challengeRows = Array.from({ length: challenges }, (_, index) =>
    aChallengeRow(index + 1, { value: pointsOf(index + 1), type: isDynamic(index + 1) ? 'dynamic' : 'standard' }),
  )
  // Every seventh account has paid for a hint, and every eleventh has an award.
  const awards = Array.from({ length: accounts }, (_, index) => index + 1).flatMap((account) => {
    const owner =
      mode === 'users' ? { user_id: account, team_id: null } : { user_id: (account - 1) * teamSize + 1, team_id: account }
    const plain = {
      ...owner,
      type: 'standard',
      description: null,
      category: null,
      icon: null,
      requirements: null,
      date: timeAt(40),
    }
    return [
      ...(account % 7 === 0 ? [{ ...plain, name: 'Hint 1', value: -35 }] : []),
      ...(account % 11 === 0 ? [{ ...plain, name: 'Best writeup', value: 120 }] : []),
    ]
  })

  const points = new Map<string, number>()
  const nameOf = (account: number): string => (mode === 'users' ? `player ${account}` : `team ${account}`)
  for (let account = 1; account <= accounts; account++) if (!isHidden(account)) points.set(nameOf(account), 0)
  const add = (account: number, value: number) => {
    const known = points.get(nameOf(account))
    if (known !== undefined) points.set(nameOf(account), known + value)
  }
  for (const { challenge_id: challenge, user_id: userId } of solveRows)
    add(accountOf(Number(userId)), pointsOf(Number(challenge)))
  for (const { user_id: userId, value } of awards) add(accountOf(Number(userId)), value)

  const tables: ExportTables = {
    alembic_version: [{ version_num: '0000' }],
    config: createSettingRows(mode),
    users: userRows,
    teams: teamRows,
    challenges: challengeRows,
    dynamic_challenge: challengeRows
      .filter(({ id }) => isDynamic(Number(id)))
      .map(({ id }) => ({ id, ...curve, function: 'logarithmic' })),
    flags: challengeRows.map(({ id }) => ({ id, challenge_id: id, type: 'static', content: `flag{${id}}`, data: '' })),
    hints: [{ id: 1, challenge_id: 1, type: 'standard', title: null, content: 'Look closer.', cost: 35, requirements: null }],
    unlocks: awards.filter(({ value }) => value < 0).map((_, index) => ({ id: index + 1, target: 1, type: 'hints' })),
    files: [{ id: 1, type: 'challenge', location: 'aa11/task.txt', challenge_id: 1, page_id: null, sha1sum: null }],
    submissions,
    solves: solveRows,
    awards: awards.map((award, index) => ({ id: index + 1, ...award })),
    pages: [
      {
        id: 1,
        title: 'Rules',
        route: 'rules',
        content: 'Be kind.',
        draft: false,
        hidden: false,
        auth_required: false,
        format: 'markdown',
      },
    ],
    notifications: [{ id: 1, title: 'Hello', content: 'We begin.', date: timeAt(1), user_id: null, team_id: null }],
  }
  return { zip: createExportZip(tables, { 'aa11/task.txt': 'a task' }), tables, points, passwordOf, accounts }
}
