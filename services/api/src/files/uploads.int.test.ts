import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionCookieName } from '../sessions/session-token.ts'
import { startTestApp, type TestApp } from '../testing/app.ts'
import { signIn } from '../testing/factories.ts'
import { aGame } from '../testing/organising-factories.ts'

let context: TestApp
let port: number
let cookie: string
beforeAll(async () => {
  context = await startTestApp({ config: { attachmentMaxBytes: 1024 * 1024 } })
  await context.app.listen({ port: 0, host: '127.0.0.1' })
  port = (context.app.server.address() as AddressInfo).port
  const { client } = await signIn(context, 'Admin')
  cookie = `${sessionCookieName}=${client.cookies.get(sessionCookieName)}`
})
afterAll(() => context.close())

/** A multipart body of one file; `contentBytes` of it are sent, then the connection is cut if `isCut`. */
const send = (path: string, method: string, field: string, contentBytes: number, isCut = false) =>
  new Promise<number>((resolve, reject) => {
    const boundary = 'capstan-test'
    const outgoing = request({
      port,
      path,
      method,
      headers: { cookie, 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      incoming.resume()
      incoming.once('end', () => resolve(incoming.statusCode ?? 0))
    })
    const head = `content-disposition: form-data; name="${field}"; filename="a.bin"\r\ncontent-type: image/png\r\n\r\n`
    outgoing.write(`--${boundary}\r\n${head}`)
    outgoing.write(Buffer.alloc(contentBytes, 1), () => {
      if (isCut) outgoing.destroy()
      else outgoing.end(`\r\n--${boundary}--\r\n`)
    })
  })

test('a file far over the limit is refused while the client is still sending, without holding it up', async () => {
  expect(await send('/api/assets', 'POST', 'files', 40 * 1024 * 1024)).toBe(400)
  expect(await send('/api/assets', 'POST', 'files', 1000)).toBe(200)
})

test('a picture far over the limit is refused without holding the client up', async () => {
  const { id } = await aGame(context.db)
  expect(await send(`/api/edit/games/${id}/poster`, 'PUT', 'file', 40 * 1024 * 1024)).toBe(400)
})

test('a client that goes away in the middle leaves nothing behind', async () => {
  await send('/api/assets', 'POST', 'files', 1000)
  const before = context.blobs.contents.size
  await expect(send('/api/assets', 'POST', 'files', 500_000, true)).rejects.toThrow()
  expect(await send('/api/assets', 'POST', 'files', 1000)).toBe(200)
  expect(context.blobs.contents.size).toBe(before)
})
