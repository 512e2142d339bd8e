import path from 'node:path'
import { hashPassword } from '@capstan/api/accounts/password'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { aUser } from '@capstan/api/testing/factories'
import { password } from '@capstan/api/testing/people-factories'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedDemoGame } from '../../e2e/challenges/seed.ts'
import { aToken, capstan, fetchOf } from './testing/command.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

test('files and platform agree on the demo game, and applying its files changes nothing', async () => {
  await aUser(context.db, { userName: 'Organizer', role: 'Admin', passwordHash: await hashPassword(password) })
  const baseUrl = await context.app.listen({ port: 0, host: '127.0.0.1' })
  const { gameId } = await seedDemoGame({ baseUrl, adminName: 'Organizer', adminPassword: password })
  const token = await aToken(context, { scope: 'WriteChallenges', gameId })
  // The commands that make its files ask for `node`.
  const PATH = `${path.dirname(process.execPath)}:${process.env.PATH ?? ''}`
  const shell = { send: fetchOf(context), token, environment: { PATH } }
  const folder = path.join(import.meta.dirname, '../../e2e/challenges')
  expect(await capstan(shell, 'plan', folder)).toMatchObject({ code: 0, text: expect.stringContaining('Nothing to do.') })
  expect(await capstan(shell, 'apply', folder)).toMatchObject({ code: 0 })
  expect(await capstan(shell, 'plan', folder)).toMatchObject({ code: 0 })
})
