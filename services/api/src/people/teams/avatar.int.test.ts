import { files } from '@capstan/db/schema/platform'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aCapture, aChallenge, aParticipation } from '../../testing/organizing-factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

async function picture(red: number) {
  return {
    name: 'team.png',
    type: 'image/png',
    content: await sharp({ create: { width: 400, height: 300, channels: 3, background: { r: red, g: 9, b: 9 } } })
      .png()
      .toBuffer(),
  }
}

test('the avatar of a team is shown on the page of the team, can be replaced, and is deleted with the team', async () => {
  const { client, user } = await signInAsNewUser(context)
  const team = await aTeam(context.db, { captainId: user.id })
  const put = async (red: number) => client.upload('PUT', `/api/team/${team.id}/avatar`, [await picture(red)])
  expect((await put(1)).json()).toMatch(/^\/assets\/[0-9a-f]{64}\/avatar\.webp$/)
  const second = (await put(200)).json()
  const page = (await createTestClient(context.app).get(`/api/team/${team.id}`)).json()
  expect(`${page.avatar}.webp`).toBe(second)
  expect(await context.db.$count(files)).toBe(1)
  expect((await client.delete(`/api/team/${team.id}`)).statusCode).toBe(200)
  expect(await context.db.$count(files)).toBe(0)
})

test('refuses an avatar by a user who is not captain, and a file that is not a picture', async () => {
  const { client, user } = await signInAsNewUser(context)
  const stranger = await signInAsNewUser(context)
  const team = await aTeam(context.db, { captainId: user.id })
  const url = `/api/team/${team.id}/avatar`
  expect((await stranger.client.upload('PUT', url, [await picture(3)])).json().code).toBe('team.not-captain')
  expect((await createTestClient(context.app).upload('PUT', url, [await picture(3)])).statusCode).toBe(401)
  expect((await client.upload('PUT', url, [{ name: 'a.png', content: 'text' }])).json().code).toBe('file.unreadable')
  expect((await client.upload('PUT', '/api/team/999999/avatar', [await picture(3)])).json().code).toBe('team.unknown')
  expect(await context.db.$count(files)).toBe(0)
})

test('deletes the captured traffic of a team when the team is deleted', async () => {
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const challenge = await aChallenge(context.db, { type: 'StaticContainer' })
  const participation = await aParticipation(context.db, { gameId: challenge.gameId })
  const key = `captures/${challenge.id}/${participation.id}/a.pcap`
  context.blobs.contents.set(key, Buffer.from('pcap'))
  await aCapture(context.db, { challengeId: challenge.id, participationId: participation.id, fileName: 'a.pcap' })
  expect((await admin.delete(`/api/admin/teams/${participation.teamId}`)).statusCode).toBe(200)
  expect(context.blobs.contents.has(key)).toBe(false)
})
