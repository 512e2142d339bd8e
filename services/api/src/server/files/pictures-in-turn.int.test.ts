import { Limits } from '@capstan/contract/limits'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { createImageConverter } from './images.ts'

let context: TestApp
let admin: Awaited<ReturnType<typeof signInAsNewUser>>
const images = createImageConverter({ log: { warn: () => {} } })
beforeAll(async () => {
  context = await startTestApp({ deps: { images } })
  admin = await signInAsNewUser(context, 'Admin')
})
afterAll(async () => {
  await context.close()
  await images.close()
})

function picture(side: number) {
  return sharp({ create: { width: side, height: side, channels: 3, background: '#123456' } })
}

/**
 * Fills the queue with the pictures of one user. Each picture takes long enough that the queue is still full when another user
 * uploads a picture.
 */
async function fillQueue() {
  const slow = await picture(1_200).avif({ effort: 0 }).toBuffer()
  const userId = (await signInAsNewUser(context)).user.id
  return Array.from({ length: 1 + Limits.maxWaitingPictures }, () =>
    images.convert('avatar', slow, { network: userId, key: userId }),
  )
}

test('a user can upload every kind of picture while pictures of another user fill the queue', async () => {
  const [team, game] = [await aTeam(context.db, { captainId: admin.user.id }), await aGame(context.db)]
  const targets = [
    ['PUT', '/api/account/avatar'],
    ['PUT', `/api/team/${team.id}/avatar`],
    ['PUT', `/api/edit/games/${game.id}/poster`],
    ['POST', '/api/admin/config/logo'],
    ['PUT', `/api/edit/games/${game.id}/certificate/background`],
  ] as const
  const content = await picture(20).png().toBuffer()
  const others = Promise.allSettled(await fillQueue())
  const answers = targets.map(([method, path]) => admin.client.upload(method, path, [{ field: 'file', name: 'a.png', content }]))
  expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual(targets.map(() => 200))
  await others
})
