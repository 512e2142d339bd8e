// Calls with which admins manage users. Rules: docs/contract/admin.md#users.
import { hasUserNameLength, isPasswordHash, isStrongPassword } from '@capstan/contract/account-rules'
import type { AdminUserUpdate, BulkUser } from '@capstan/contract/admin'
import { parseImportedHash } from '@capstan/contract/foreign-hash'
import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { Problem, type ProblemCode } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { deleteUnreferencedFiles, listAnswerFileHashes, releaseFiles } from '../../server/files/service.ts'
import { problemCodeOfViolation } from '../../server/http/violations.ts'
import type { SessionService } from '../../server/sessions/service.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { formatForeignHash } from '../accounts/foreign-hash.ts'
import {
  checkNameChange,
  checkUserName,
  deleteMailedLinks,
  hasPassword,
  isOtherEmail,
  type ProfileChange,
  queueAddressMail,
  toProfileColumns,
  toUserNameColumns,
  unlinkProvidersOfUnprovenEmail,
} from '../accounts/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { joinOrCreateTeam } from '../teams/service.ts'
import { createRandomPassword } from './password.ts'
import { refuseUserDeletion, sessionEffectOfUserChange } from './policy.ts'
import { createUserRepository, type UserRow, type UserSearch } from './repository.ts'

export type UserServiceDeps = PeopleDeps &
  Readonly<{
    sessions: SessionService
  }>

const hashesAtOnce = 4

/** Map from the problem code of a refused bulk row to the field that causes the problem. */
const memberOfRow: Partial<Record<ProblemCode, keyof BulkUser>> = {
  'username.taken': 'userName',
  'email.taken': 'email',
  'team.name-taken': 'teamName',
  'name.unreadable': 'teamName',
}

/**
 * Runs `work` for one row of a bulk request. If a rule or a database constraint refuses the row, adds the index of the row to the
 * problem.
 */
async function atRow<Result>(index: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof Problem ? error.code : problemCodeOfViolation(error)
    if (code === undefined || (error instanceof Problem && error.details.detail !== undefined)) throw error
    const member = memberOfRow[code]
    throw new Problem(code, { detail: member ? `/${index}/${member}` : `/${index}` })
  }
}

async function lock(executor: Executor, id: string): Promise<UserRow> {
  const user = await createUserRepository(executor).lock(id)
  if (!user) throw new Problem('user.unknown')
  return user
}

async function prepareBulk(
  { passwords }: Pick<UserServiceDeps, 'passwords'>,
  rows: readonly BulkUser[],
): Promise<(BulkUser & { passwordHash: string })[]> {
  const unknown = rows.findIndex(({ password }) => isPasswordHash(password) && !parseImportedHash(password.trim()))
  if (unknown >= 0) throw new Problem('password.hash', { detail: `/${unknown}/password` })
  const weak = rows.findIndex(({ password }) => !isPasswordHash(password) && !isStrongPassword(password))
  if (weak >= 0) throw new Problem('password.weak', { detail: `/${weak}/password` })
  const prepared: (BulkUser & { passwordHash: string })[] = []
  for (let start = 0; start < rows.length; start += hashesAtOnce) {
    const batch = rows.slice(start, start + hashesAtOnce)
    const hashed = batch.map(async (row) => {
      const { password } = row
      return {
        ...row,
        passwordHash: isPasswordHash(password) ? formatForeignHash(password.trim()) : await passwords.hash(password),
      }
    })
    prepared.push(...(await Promise.all(hashed)))
  }
  return prepared
}

/**
 * Creates the user of a bulk row, or overwrites the user with this name or address. The address of the row then counts as proven,
 * because the admin vouches for it. If this address was not proven before, a stranger may have registered the account. In this
 * case, the account loses its links to providers.
 */
async function putBulkUser(
  deps: Pick<UserServiceDeps, 'clock' | 'db' | 'mailer'>,
  executor: Executor,
  row: BulkUser & { passwordHash: string },
  index: number,
  language: LanguageCode,
): Promise<{ id: string; isNew: boolean }> {
  const repository = createUserRepository(executor)
  const { realName, stdNumber, phone, email, passwordHash } = row
  const profile: ProfileChange = {
    realName: realName || null,
    stdNumber: stdNumber || null,
    phone: phone ?? null,
  }
  const userName = row.userName.trim()
  const [existing, ...others] = await repository.lockByNameOrEmail(userName, email)
  if (others.length > 0) throw new Problem('users.bulk', { detail: `/${index}` })
  const isNewName = existing?.userName !== userName
  if (isNewName) checkUserName(userName, `/${index}/userName`)
  const values = { ...toProfileColumns(profile), ...(isNewName && toUserNameColumns(userName)), email, passwordHash }
  if (existing) {
    await unlinkProvidersOfUnprovenEmail(executor, { ...existing, email })
    await repository.update(existing.id, { ...values, provenEmail: email })
    await queueAddressMail(deps, executor, existing, email, language)
    return { id: existing.id, isNew: false }
  }
  const now = deps.clock.now()
  const dates = { registeredAt: now, lastVisitedAt: now }
  const id = await repository.insert({ ...values, ...dates, userName, emailConfirmed: true, provenEmail: email })
  return { id, isNew: true }
}

/** @throws Problem `user.unknown` */
export async function getUser({ db }: Pick<UserServiceDeps, 'db'>, id: string): Promise<UserRow> {
  const users = createUserRepository(db)
  const user = await users.find(id)
  if (!user) throw new Problem('user.unknown')
  return user
}

export async function listUsers(
  { db }: Pick<UserServiceDeps, 'db'>,
  page: { count: number; skip: number },
): Promise<{ rows: UserRow[]; total: number }> {
  const users = createUserRepository(db)
  const [rows, total] = await Promise.all([users.listPage(page), users.countAll()])
  return { rows, total }
}

export function findUsers({ db }: Pick<UserServiceDeps, 'db'>, filter: UserSearch): Promise<{ rows: UserRow[]; total: number }> {
  const users = createUserRepository(db)
  return users.findBy({ ...filter, ...(filter.hint !== undefined && { hint: filter.hint.trim() }) })
}

export function searchUsers({ db }: Pick<UserServiceDeps, 'db'>, hint: string): Promise<UserRow[]> {
  const users = createUserRepository(db)
  return users.search(hint.trim(), Limits.searchHits)
}

/**
 * Updates a user. Absent and null fields change nothing. A new address is unconfirmed unless `emailConfirmed` is given. If a
 * confirmed address is replaced, the old address gets a mail.
 * @throws Problem `user.unknown`, `username.taken`, `email.taken`, `name.unreadable`, `username.address`
 */
export async function updateUser(
  deps: Pick<UserServiceDeps, 'clock' | 'db' | 'mailer' | 'sessions'>,
  actor: SessionUser,
  id: string,
  change: AdminUserUpdate,
  language: LanguageCode,
): Promise<void> {
  const { db, sessions } = deps
  const effect = await db.transaction(async (transaction) => {
    const before = await lock(transaction, id)
    const email = change.email ?? before.email
    const after = {
      email,
      role: change.role ?? before.role,
      emailConfirmed: change.emailConfirmed ?? (!isOtherEmail(email, before.email) && before.emailConfirmed),
    }
    await createUserRepository(transaction).update(id, {
      ...toProfileColumns(checkNameChange(before.userName, change)),
      ...after,
    })
    await queueAddressMail(deps, transaction, before, email, language)
    const result = sessionEffectOfUserChange(before, after)
    if (result === 'end') await sessions.endAll(transaction, id, actor.id === id ? { except: actor } : {})
    return result
  })
  if (effect !== 'none') sessions.announceEnd(id)
}

/** @throws Problem `user.unknown`, `user.self`, `user.captain` */
export async function deleteUser(
  deps: Pick<UserServiceDeps, 'blobs' | 'db' | 'sessions'>,
  actor: SessionUser,
  id: string,
): Promise<void> {
  const { db, sessions } = deps
  const hashes = await db.transaction(async (transaction) => {
    const repository = createUserRepository(transaction)
    const user = await lock(transaction, id)
    const refusal = refuseUserDeletion(actor.id, { id, isCaptain: await repository.isCaptain(id) })
    if (refusal) throw new Problem(refusal)
    await releaseFiles(transaction, [user.avatarHash])
    const answerFiles = await listAnswerFileHashes(transaction, { userId: id })
    await repository.delete(id)
    return [user.avatarHash, ...answerFiles]
  })
  sessions.announceEnd(id)
  await deleteUnreferencedFiles(deps, hashes)
}

/** Ends all sessions of a user, except the session that makes the call. */
export async function endUserSessions(
  { db, sessions }: Pick<UserServiceDeps, 'db' | 'sessions'>,
  actor: SessionUser,
  id: string,
): Promise<void> {
  await sessions.endAll(db, id, actor.id === id ? { except: actor } : {})
  sessions.announceEnd(id)
}

/**
 * Sets a random password and ends all sessions, except the session that makes the call.
 * @returns the password, which is shown only once
 * @throws Problem `user.unknown`
 */
export async function resetUserPassword(
  { passwords, db, sessions }: Pick<UserServiceDeps, 'db' | 'passwords' | 'sessions'>,
  actor: SessionUser,
  id: string,
): Promise<string> {
  const password = createRandomPassword(cryptoRandom)
  const passwordHash = await passwords.hash(password)
  await db.transaction(async (transaction) => {
    const user = await lock(transaction, id)
    // Providers of an account with a password remain linked, because a provider is linked only after a proof of the password.
    if (!hasPassword(user)) await unlinkProvidersOfUnprovenEmail(transaction, user)
    await deleteMailedLinks(transaction, id)
    await createUserRepository(transaction).update(id, { passwordHash })
    await sessions.endAll(transaction, id, actor.id === id ? { except: actor } : {})
  })
  sessions.announceEnd(id)
  return password
}

/**
 * Creates or overwrites many users in one transaction. The users of rows with the same `teamName` join the team of this name,
 * without regard to case. If the team does not exist, the first user becomes captain of a new team.
 * @throws Problem `password.weak`, `password.hash`, `username.taken`, `email.taken`, `name.unreadable`, `username.address`,
 * `team.name-taken`
 * @throws Problem `users.bulk` if name and address of a row belong to different users; the detail names the row
 */
export async function addUsers(
  deps: Pick<UserServiceDeps, 'clock' | 'db' | 'mailer' | 'passwords' | 'sessions'>,
  actor: SessionUser,
  rows: readonly BulkUser[],
  language: LanguageCode,
): Promise<void> {
  const { db, sessions } = deps
  const short = rows.findIndex(({ userName }) => !hasUserNameLength(userName.trim()))
  if (short >= 0) throw new Problem('request.invalid', { detail: `/${short}/userName` })
  const prepared = await prepareBulk(deps, rows)
  const overwritten = await db.transaction(async (transaction) => {
    await createUserRepository(transaction).lockBulk()
    const changed: string[] = []
    const listed = new Map<string, { name: string; index: number; memberIds: string[] }>()
    for (const [index, row] of prepared.entries()) {
      const { id, isNew } = await atRow(index, () => putBulkUser(deps, transaction, row, index, language))
      if (!isNew) changed.push(id)
      const name = row.teamName?.trim()
      if (!name) continue
      const team = listed.get(name.toLowerCase()) ?? { name, index, memberIds: [] }
      team.memberIds.push(id)
      listed.set(name.toLowerCase(), team)
    }
    for (const { name, index, memberIds } of listed.values())
      await atRow(index, () => joinOrCreateTeam(transaction, name, memberIds))
    for (const id of changed) await sessions.endAll(transaction, id, actor.id === id ? { except: actor } : {})
    return changed
  })
  for (const id of new Set(overwritten)) sessions.announceEnd(id)
}
