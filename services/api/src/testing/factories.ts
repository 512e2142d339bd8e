import { createHash, randomBytes } from 'node:crypto'
import type { Role } from '@capstan/contract/common'
import type { Database } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { teamMembers, teams } from '@capstan/db/schema/teams'
import { createSessionRepository } from '../server/sessions/repository.ts'
import { plainCookieName } from '../server/sessions/session-cookie.ts'
import { createSessionToken, hashToken } from '../server/sessions/session-token.ts'
import { createTestClient, type TestApp } from './app.ts'

let serial = 0
function unique(prefix: string) {
  return `${prefix}${(++serial).toString(36)}${randomBytes(2).toString('hex')}`
}

/** Inserts a user. By default, the user has a hash that no password matches. */
export async function aUser(db: Database, values: Partial<typeof users.$inferInsert> = {}) {
  const userName = values.userName ?? unique('user')
  const [user] = await db
    .insert(users)
    .values({
      userName,
      email: `${userName}@example.org`,
      passwordHash: createHash('sha256').update(userName).digest('hex'),
      emailConfirmed: true,
      ...values,
    })
    .returning()
  return user!
}

/** Inserts a session of a user. The session starts at `now`. @returns the cookie header of a browser */
export async function aSession(db: Database, userId: string, now = new Date()): Promise<string> {
  const token = createSessionToken()
  await createSessionRepository(db).insert({
    tokenHash: hashToken(token),
    userId,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: new Date(now.getTime() + 7 * 24 * 3600 * 1000),
  })
  return `${plainCookieName}=${token}`
}

/** Returns a signed-in client of a new user with `role`. */
export async function signInAsNewUser(
  { app, db }: Pick<TestApp, 'app' | 'db'>,
  role: Role = 'User',
  values: Partial<typeof users.$inferInsert> = {},
) {
  const user = await aUser(db, { role, ...values })
  const [name = '', token = ''] = (await aSession(db, user.id, app.deps.clock.now())).split('=')
  const client = createTestClient(app)
  client.cookies.set(name, token)
  return { user, client }
}

/** Inserts a team with a captain (a new user by default) and more members. */
export async function aTeam(db: Database, values: Partial<typeof teams.$inferInsert> & { memberIds?: string[] } = {}) {
  const { memberIds = [], ...columns } = values
  const captainId = columns.captainId ?? (await aUser(db)).id
  const [team] = await db
    .insert(teams)
    .values({ name: unique('team'), inviteToken: randomBytes(16).toString('hex'), ...columns, captainId })
    .returning()
  await db.insert(teamMembers).values([captainId, ...memberIds].map((userId) => ({ teamId: team!.id, userId })))
  return team!
}
