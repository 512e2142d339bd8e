import { users } from '@capstan/db/schema/accounts'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aUser, signInAsNewUser } from '../../testing/factories.ts'
import { callWhileLocked } from '../../testing/lock-account.ts'
import { formatForeignHash } from './foreign-hash.ts'
import { createAccountRepository } from './repository.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

/** Hash of the text `password` that another platform has created. */
const hash = '$2b$04$nke3JYaIENEMk1YVZDzABe4cIn9qxvHDoUUjBtohss8ykjqfFK.uy'
const foreign = formatForeignHash(hash)
function anImportedUser() {
  return aUser(context.db, { passwordHash: foreign, emailConfirmed: true })
}
async function hashOf(id: string) {
  return (await context.db.select().from(users).where(eq(users.id, id)))[0]?.passwordHash
}
function logIn(userName: string, password: string) {
  return createTestClient(context.app).post('/api/account/login', { userName, password })
}

test('accepts the old password of an imported account and replaces its hash', async () => {
  const user = await anImportedUser()
  expect((await logIn(user.userName, 'passwort')).json().code).toBe('login.failed')
  expect(await hashOf(user.id)).toBe(foreign)
  expect((await logIn(user.email, 'password')).statusCode).toBe(200)
  const renewed = await hashOf(user.id)
  expect(renewed).toMatch(/^\$argon2id\$/)
  expect((await logIn(user.userName, 'password')).statusCode).toBe(200)
  expect(await hashOf(user.id)).toBe(renewed)
})

test('accepts concurrent logins of an imported account', async () => {
  const user = await anImportedUser()
  const answers = await callWhileLocked(
    context,
    user.id,
    Array.from({ length: 4 }, () => () => logIn(user.userName, 'password')),
  )
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
})

test('the renewal of an old hash does not overwrite a password that the user has changed concurrently', async () => {
  const user = await anImportedUser()
  const changed = await context.deps.passwords.hash('Another1')
  await context.db.update(users).set({ passwordHash: changed }).where(eq(users.id, user.id))
  await createAccountRepository(context.db).renewHash(user.id, foreign, await context.deps.passwords.hash('password'))
  expect(await hashOf(user.id)).toBe(changed)
})

test('refuses login to an inactive imported account and keeps its hash', async () => {
  const user = await aUser(context.db, { passwordHash: foreign, emailConfirmed: false })
  expect((await logIn(user.userName, 'password')).statusCode).toBe(401)
  expect(await hashOf(user.id)).toBe(foreign)
})

test('lets a user change the password of an imported account', async () => {
  const user = await anImportedUser()
  const client = createTestClient(context.app)
  await client.post('/api/account/login', { userName: user.userName, password: 'password' })
  expect((await client.put('/api/account/changepassword', { old: 'password', new: 'Another1' })).statusCode).toBe(200)
  expect((await logIn(user.userName, 'Another1')).statusCode).toBe(200)
})

test('accepts the old password if a bulk request added the user with the hash of this password', async () => {
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const row = { userName: 'listed', email: 'listed@example.org', password: hash }
  expect((await admin.post('/api/admin/users', [row])).statusCode).toBe(200)
  expect((await logIn('listed', hash)).statusCode).toBe(401)
  expect((await logIn('listed', 'password')).statusCode).toBe(200)
})
