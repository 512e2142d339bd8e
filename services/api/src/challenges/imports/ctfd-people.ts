import { randomUUID } from 'node:crypto'
import { hasUserNameLength, looksLikeEmail } from '@capstan/contract/account-rules'
import { parseImportedHash } from '@capstan/contract/foreign-hash'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { formatForeignHash, noPassword } from '../../people/accounts/foreign-hash.ts'
import { refuseInvalidName, refuseInvalidUserName } from '../../people/names/policy.ts'
import type { CtfdTables, Row } from './ctfd-tables.ts'
import type { Findings, FindingText } from './findings.ts'
import type { PlatformAnswers } from './plan.ts'
import { makeNamesUnique } from './unique-names.ts'

export type PlannedUser = Readonly<{
  key: number
  id: string
  /** True if the account existed on this platform before the import. */
  isMatched: boolean
  row: Row
}>

/** Returns a placeholder for a missing mail address. It cannot receive mail. */
function addressOf(key: number): string {
  return `user-${key}@imported.invalid`
}

const renamed = 'was too long, too short, unreadable, or similar to an existing name.'

function reportPeople(rows: readonly Row[], text: FindingText, findings: Findings): void {
  for (const row of rows) findings.add(text, row.id)
}

function readEmail(row: Row, seen: Set<string>, findings: Findings): string {
  const email = row.text('email').trim()
  const isUsable = looksLikeEmail(email) && [...email].length <= InputLimits.maxEmailLength && !seen.has(email.toLowerCase())
  if (!isUsable) {
    const why = 'It has no unique email address, so it gets `user-<id>@imported.invalid` and logs in by name.'
    findings.add(
      { table: 'users', field: 'email', outcome: 'converted', why, advice: 'Set an email address under Users.' },
      row.id,
    )
  }
  const usable = isUsable ? email : addressOf(row.id)
  seen.add(usable.toLowerCase())
  return usable
}

function readPassword(row: Row, findings: Findings): string {
  const hash = row.text('password').trim()
  if (hash !== '' && parseImportedHash(hash)) return formatForeignHash(hash)
  const conversion =
    hash === ''
      ? { outcome: 'converted' as const, why: 'It has no password, because it logged in through another service.' }
      : { outcome: 'refused' as const, why: 'The format of its password hash is unknown or too slow to verify.' }
  findings.add(
    {
      table: 'users',
      field: 'password',
      ...conversion,
      advice: 'Reset the password under Users, or ask people to reset it by mail.',
    },
    row.id,
  )
  return noPassword
}

/** Returns a name that has only allowed characters. Its length and uniqueness are not checked yet. */
function readableName(name: string, fallback: string, refuse: (name: string) => unknown): string {
  const trimmed = name.trim().replaceAll(/\s+/g, ' ')
  return trimmed === '' || refuse(trimmed) ? fallback : trimmed
}

/**
 * Converts accounts. If a user of this platform has the mail address of an account, the account is mapped to that user. The import
 * does not change that user.
 * @returns all accounts, and the rows of the new users
 */
export async function convertCtfdUsers(tables: CtfdTables, platform: PlatformAnswers, now: Date, findings: Findings) {
  const isVerifying = tables.config.some((row) => row.text('key') === 'verify_emails' && row.flag('value'))
  const seen = new Set<string>()
  const people = tables.users.map((row) => ({ row, email: readEmail(row, seen, findings) }))
  const known = await platform.findUsers(people.map(({ email }) => email.toLowerCase()))
  const users = new Map<number, PlannedUser>()
  const fresh: typeof people = []
  for (const person of people) {
    const { row, email } = person
    const existing = known.get(email.toLowerCase())
    users.set(row.id, { key: row.id, id: existing ?? randomUUID(), isMatched: existing !== undefined, row })
    if (existing === undefined) {
      fresh.push(person)
      if (!['', 'user'].includes(row.text('type')))
        findings.add(
          {
            ...{ table: 'users', field: 'type', outcome: 'converted' as const },
            ...{ why: 'Roles are not imported, so the admin becomes a user.', advice: 'Change the role under Users.' },
          },
          row.id,
        )
      continue
    }
    findings.add(
      {
        ...{ table: 'users', field: '', outcome: 'converted' as const },
        why: 'An account with this email address exists. It keeps its name and password, and joins the team.',
        advice: 'Check that it is the same person.',
      },
      row.id,
    )
  }
  const wanted = fresh.map(({ row }) => {
    const name = readableName(row.text('name'), `user-${row.id}`, refuseInvalidUserName)
    return {
      id: row.id,
      name: hasUserNameLength([...name].slice(0, Limits.maxUserNameLength).join('')) ? name : `${name}-${row.id}`,
    }
  })
  const names = await makeNamesUnique(wanted, Limits.maxUserNameLength, (keys) => platform.findTakenNames('user', keys))
  const rows = fresh.map(({ row, email }) => {
    const name = names.get(row.id)
    if (!name) throw new Error('A user has no unique name')
    if (name.name !== row.text('name').trim())
      findings.add(
        {
          ...{ table: 'users', field: 'name', outcome: 'converted', why: `The name ${renamed}` },
          advice: 'Ask people to log in by email address, or change the name under Users.',
        },
        row.id,
      )
    return {
      id: users.get(row.id)?.id,
      userName: name.name,
      nameSkeleton: name.nameSkeleton,
      nameShape: name.nameShape,
      nameReading: name.nameReading,
      email,
      passwordHash: readPassword(row, findings),
      role: row.flag('banned') ? 'Banned' : 'User',
      emailConfirmed: !isVerifying || row.flag('verified'),
      registeredAt: (row.time('created') ?? now).toISOString(),
    }
  })
  return { users, rows }
}

export type PlannedTeam = Readonly<{
  key: number
  name: string
  division: string | null
  /** True if the team is visible on the board. */
  isShown: boolean
  captainId: string
  memberIds: readonly string[]
}>

/** Reads division names by bracket id. The name is empty if no division is created for the bracket. */
function readBrackets(tables: CtfdTables, mode: 'users' | 'teams', findings: Findings): Map<number, string> {
  const brackets = new Map<number, string>()
  const names = new Set<string>()
  for (const row of tables.brackets) {
    const tell = (field: string, outcome: 'left-out' | 'converted', why: string, advice: string) =>
      findings.add({ table: 'brackets', field, outcome, why, advice }, row.id)
    const whole = row.text('name').trim()
    const name = [...whole].slice(0, InputLimits.maxDivisionNameLength).join('').trim()
    if (!['', mode].includes(row.text('type')))
      tell('type', 'left-out', `The event ranked ${mode}, but this bracket is not for ${mode}.`, 'No action is needed.')
    else if (name === '') tell('name', 'left-out', 'The bracket has no name.', 'Add a division to the game and assign its teams.')
    else if (!names.has(name) && names.size >= InputLimits.maxDivisions)
      tell('', 'left-out', `A game has at most ${InputLimits.maxDivisions} divisions.`, 'Assign its teams to another division.')
    else {
      if (names.has(name))
        tell(
          'name',
          'converted',
          'Another bracket has this name, so both became one division.',
          'Rename one of them in CTFd and export again.',
        )
      else if (name !== whole)
        tell('name', 'converted', 'The name was too long and was shortened.', 'Rename the division in the game.')
      names.add(name)
      brackets.set(row.id, name)
      continue
    }
    brackets.set(row.id, '')
  }
  return brackets
}

/** Reports unranked users or teams, because this platform cannot exclude them from the ranking. */
function reportUnranked(tables: CtfdTables, mode: 'users' | 'teams', findings: Findings): void {
  if (mode === 'users') {
    reportPeople(
      tables.teams,
      {
        ...{ table: 'teams', field: '', outcome: 'left-out' },
        ...{ why: 'The event ranked users, so each user became a team.', advice: 'Create the teams here if you need them.' },
      },
      findings,
    )
    return
  }
  const known = new Set(tables.teams.map(({ id }) => id))
  reportPeople(
    tables.users.filter((row) => row.int('team_id') !== undefined && !known.has(row.int('team_id') ?? 0)),
    {
      ...{
        table: 'users',
        field: 'team_id',
        outcome: 'left-out',
        why: 'The team is not in the export, so the account has no team.',
      },
      advice: 'Ask people to join a team here.',
    },
    findings,
  )
  const ofTeams = 'The event ranked teams, so the value of the team counts, not that of its member.'
  for (const field of ['hidden', 'bracket_id'] as const)
    reportPeople(
      tables.users.filter((row) => (field === 'hidden' ? row.flag(field) : row.int(field) !== undefined)),
      { table: 'users', field, outcome: 'left-out', why: ofTeams, advice: 'No action is needed.' },
      findings,
    )
}

/**
 * Converts teams. In an event for single users, each user becomes a team.
 * @param played map from the id of each account with submissions or awards to its first active user
 */
export async function convertCtfdTeams(
  tables: CtfdTables,
  mode: 'users' | 'teams',
  users: ReadonlyMap<number, PlannedUser>,
  played: ReadonlyMap<number, number | undefined>,
  platform: PlatformAnswers,
  findings: Findings,
) {
  reportUnranked(tables, mode, findings)
  const brackets = readBrackets(tables, mode, findings)
  const table = mode === 'teams' ? 'teams' : 'users'
  const membersOf = Map.groupBy([...users.values()], ({ row }) => row.int('team_id') ?? 0)
  const planned: { row: Row; captain: PlannedUser; members: readonly PlannedUser[] }[] = []
  for (const row of mode === 'teams' ? tables.teams : tables.users) {
    const own = users.get(row.id)
    if (mode === 'users' && row.text('type') === 'admin' && !played.has(row.id)) continue
    const members = mode === 'users' ? (own ? [own] : []) : (membersOf.get(row.id) ?? [])
    const captain = members.find(({ key }) => key === row.int('captain_id')) ?? members[0] ?? users.get(played.get(row.id) ?? -1)
    if (captain) {
      planned.push({ row, captain, members: members.length > 0 ? members : [captain] })
      if (mode === 'teams' && captain.key !== row.int('captain_id'))
        findings.add(
          {
            ...{ table, field: 'captain_id', outcome: 'converted' as const },
            why: 'The captain is not a member of the team, so the first member becomes the captain.',
            advice: 'Make another member the captain if necessary.',
          },
          row.id,
        )
    } else
      findings.add(
        {
          ...{ table, field: '', outcome: 'left-out' as const, why: 'The team has no members, but every team needs a captain.' },
          advice: 'If it had points, they are missing on the scoreboard.',
        },
        row.id,
      )
  }
  const wanted = planned.map(({ row }) => ({
    id: row.id,
    name: readableName(row.text('name'), `team-${row.id}`, refuseInvalidName),
  }))
  const names = await makeNamesUnique(wanted, Limits.maxTeamNameLength, (keys) => platform.findTakenNames('team', keys))
  const teams = new Map<number, PlannedTeam>()
  const rows = planned.map(({ row, captain, members }) => {
    const name = names.get(row.id)
    if (!name) throw new Error('A team has no unique name')
    if (name.name !== row.text('name').trim())
      findings.add(
        {
          ...{ table, field: 'name', outcome: 'converted' as const },
          why: 'The team name was too long, unreadable, or similar to an existing name.',
          advice: 'Rename the team.',
        },
        row.id,
      )
    const bracket = row.int('bracket_id')
    if (bracket !== undefined && !brackets.has(bracket))
      findings.add(
        {
          ...{ table, field: 'bracket_id', outcome: 'left-out' as const, why: 'The bracket is not in the export.' },
          advice: 'Choose its division in the game.',
        },
        row.id,
      )
    for (const field of ['hidden', 'banned'])
      if (row.flag(field))
        findings.add(
          {
            ...{ table, field, outcome: 'converted' as const },
            why: 'It was not on the scoreboard, so it is suspended in the game.',
            advice: 'Accept it in the game to rank it.',
          },
          row.id,
        )
    teams.set(row.id, {
      key: row.id,
      name: name.name,
      division: brackets.get(bracket ?? -1) || null,
      isShown: !row.flag('hidden') && !row.flag('banned'),
      captainId: captain.id,
      memberIds: [...new Set(members.map(({ id }) => id))],
    })
    return { key: row.id, captainId: captain.id, ...name }
  })
  return { teams, rows, divisions: [...new Set([...brackets.values()].filter((name) => name !== ''))] }
}
