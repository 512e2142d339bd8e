import { randomUUID } from 'node:crypto'
import { hasEmailForm, hasUserNameLength } from '@capstan/contract/account-rules'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { noPassword, readForeignHash, storeForeign } from '../accounts/foreign-hash.ts'
import { refuseName, refuseUserName } from '../names/policy.ts'
import type { CtfdTables, Row } from './ctfd-tables.ts'
import type { Findings } from './findings.ts'
import type { PlatformAnswers } from './plan.ts'
import { uniqueNames } from './unique-names.ts'

export interface PlannedUser {
  readonly key: number
  readonly id: string
  /** It was here before. */
  readonly isMatched: boolean
  readonly row: Row
}

/** Stands for an address that an account does not have; nobody can receive mail there. */
const addressOf = (key: number): string => `user-${key}@imported.invalid`

const renamed = 'was too long or short, cannot be read, or looks like a name that is here: people log in by their address, too.'

const readEmail = (row: Row, seen: Set<string>, findings: Findings): string => {
  const email = row.text('email').trim()
  const isUsable = hasEmailForm(email) && [...email].length <= InputLimits.emailMaxLength && !seen.has(email.toLowerCase())
  if (!isUsable) {
    const why = `It has no address that is its own: it gets \`user-<id>@imported.invalid\`, and logs in by name.`
    findings.add({ table: 'users', field: 'email', outcome: 'converted', why, advice: 'Give it an address under Users.' }, row.id)
  }
  const kept = isUsable ? email : addressOf(row.id)
  seen.add(kept.toLowerCase())
  return kept
}

const readPassword = (row: Row, findings: Findings): string => {
  const hash = row.text('password').trim()
  if (hash !== '' && readForeignHash(hash)) return storeForeign(hash)
  const told =
    hash === ''
      ? { outcome: 'converted' as const, why: 'It has no password, as it logged in by another service.' }
      : { outcome: 'refused' as const, why: 'The form of its password hash is not known, or takes too long to check.' }
  findings.add(
    { table: 'users', field: 'password', ...told, advice: 'Reset the password under Users, or let people do it by mail.' },
    row.id,
  )
  return noPassword
}

/** The name as it may be but for its length and others. */
const readableName = (name: string, fallback: string, refuse: (name: string) => unknown): string => {
  const trimmed = name.trim().replaceAll(/\s+/g, ' ')
  return trimmed === '' || refuse(trimmed) ? fallback : trimmed
}

/**
 * Accounts: who has the address of one that is here is that one, which stays as it is.
 * @returns all of them, and the rows of the new ones
 */
export const convertUsers = async (tables: CtfdTables, platform: PlatformAnswers, now: Date, findings: Findings) => {
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
      if (row.text('type') === 'admin')
        findings.add(
          {
            ...{ table: 'users', field: 'type', outcome: 'converted' as const },
            ...{ why: 'An export makes nobody an admin: it becomes a user.', advice: 'Change the role under Users.' },
          },
          row.id,
        )
      continue
    }
    findings.add(
      {
        ...{ table: 'users', field: '', outcome: 'converted' as const },
        why: 'An account with this address is here already: it stays as it is, with its name and password, and joins the team.',
      },
      row.id,
    )
  }
  const wanted = fresh.map(({ row }) => {
    const name = readableName(row.text('name'), `user-${row.id}`, refuseUserName)
    return {
      id: row.id,
      name: hasUserNameLength([...name].slice(0, Limits.userNameMaxLength).join('')) ? name : `${name}-${row.id}`,
    }
  })
  const names = await uniqueNames(wanted, Limits.userNameMaxLength, async (keys) => {
    const { skeletons, shapes } = await platform.findTakenNames('user', keys)
    return { skeletons: new Set(skeletons), shapes: new Set(shapes) }
  })
  const rows = fresh.map(({ row, email }) => {
    const name = names.get(row.id)
    if (!name) throw new Error('A user got no name')
    if (name.name !== row.text('name').trim())
      findings.add({ table: 'users', field: 'name', outcome: 'converted', why: `The name ${renamed}` }, row.id)
    return {
      id: users.get(row.id)?.id,
      userName: name.name,
      nameSkeleton: name.nameSkeleton,
      nameShape: name.nameShape,
      email,
      passwordHash: readPassword(row, findings),
      role: row.flag('banned') ? 'Banned' : 'User',
      emailConfirmed: !isVerifying || row.flag('verified'),
      registeredAt: (row.time('created') ?? now).toISOString(),
    }
  })
  return { users, rows }
}

export interface PlannedTeam {
  readonly key: number
  readonly name: string
  readonly division: string | null
  /** On the board. */
  readonly isShown: boolean
  readonly captainId: string
  readonly memberIds: readonly string[]
}

/**
 * Teams: each user alone where there were none.
 * @param played accounts with submissions or awards, and who of them acted
 */
export const convertTeams = async (
  tables: CtfdTables,
  mode: 'users' | 'teams',
  users: ReadonlyMap<number, PlannedUser>,
  played: ReadonlyMap<number, number | undefined>,
  platform: PlatformAnswers,
  findings: Findings,
) => {
  const divisions = new Map(tables.brackets.map((row) => [row.id, row.text('name').trim()]))
  const table = mode === 'teams' ? 'teams' : 'users'
  const membersOf = Map.groupBy([...users.values()], ({ row }) => row.int('team_id') ?? 0)
  const planned: { row: Row; captain: PlannedUser; members: readonly PlannedUser[] }[] = []
  for (const row of mode === 'teams' ? tables.teams : tables.users) {
    const own = users.get(row.id)
    // Organizers who only look on need no team.
    if (mode === 'users' && row.text('type') === 'admin' && !played.has(row.id)) continue
    const members = mode === 'users' ? (own ? [own] : []) : (membersOf.get(row.id) ?? [])
    const captain = members.find(({ key }) => key === row.int('captain_id')) ?? members[0] ?? users.get(played.get(row.id) ?? -1)
    if (captain) planned.push({ row, captain, members: members.length > 0 ? members : [captain] })
    else
      findings.add(
        {
          ...{ table, field: '', outcome: 'left-out' as const, why: 'It has no members: a team here has a captain.' },
          advice: 'Its points are missing on the board, where it had any.',
        },
        row.id,
      )
  }
  const wanted = planned.map(({ row }) => ({ id: row.id, name: readableName(row.text('name'), `team-${row.id}`, refuseName) }))
  const names = await uniqueNames(wanted, Limits.teamNameMaxLength, async (keys) => {
    const { skeletons, shapes } = await platform.findTakenNames('team', keys)
    return { skeletons: new Set(skeletons), shapes: new Set(shapes) }
  })
  const teams = new Map<number, PlannedTeam>()
  const rows = planned.map(({ row, captain, members }) => {
    const name = names.get(row.id)
    if (!name) throw new Error('A team got no name')
    if (name.name !== row.text('name').trim())
      findings.add(
        {
          ...{ table, field: 'name', outcome: 'converted' as const },
          why: 'The name of the team was too long, cannot be read, or looks like one that is here.',
        },
        row.id,
      )
    teams.set(row.id, {
      key: row.id,
      name: name.name,
      division: divisions.get(row.int('bracket_id') ?? -1) || null,
      isShown: !row.flag('hidden') && !row.flag('banned'),
      captainId: captain.id,
      memberIds: [...new Set(members.map(({ id }) => id))],
    })
    return { key: row.id, captainId: captain.id, ...name }
  })
  return { teams, rows, divisions: [...new Set([...divisions.values()].filter(Boolean))] }
}
