import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { Limits } from '@capstan/contract/limits'
import { files } from '@capstan/db/schema/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { aQuestion } from '../../testing/questions.ts'
import { plainCookieName } from '../sessions/session-cookie.ts'
import { createFolderBlobStore } from './folder-blob-store.ts'

let context: TestApp
let port: number
let cookie: string
beforeAll(async () => {
  context = await startTestApp({ config: { maxAttachmentBytes: 1024 * 1024 } })
  await context.app.listen({ port: 0, host: '127.0.0.1' })
  port = (context.app.server.address() as AddressInfo).port
  const { client } = await signInAsNewUser(context, 'Admin')
  cookie = `${plainCookieName}=${client.cookies.get(plainCookieName)}`
})
afterAll(() => context.close())

/** Size of the pieces in which a client writes a file. */
const pieceBytes = 50_000

/** Sends a multipart body with one file of `contentBytes` bytes. If `isCut`, closes the connection instead of ending the body. */
function send(path: string, method: string, field: string, contentBytes: number, isCut = false) {
  return new Promise<number>((resolve, reject) => {
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
    for (let sent = 0; sent < contentBytes; sent += pieceBytes)
      outgoing.write(Buffer.alloc(Math.min(pieceBytes, contentBytes - sent), 1))
    outgoing.write('\r\n', () => {
      if (isCut) outgoing.destroy()
      else outgoing.end(`--${boundary}--\r\n`)
    })
  })
}

test('a file far over the limit is refused before the client has sent the whole file, and the server reads the rest of the file', async () => {
  expect(await send('/api/assets', 'POST', 'files', 40 * 1024 * 1024)).toBe(400)
  expect(await send('/api/assets', 'POST', 'files', 1000)).toBe(200)
})

test('the file of a registration answer is stored completely if it arrives in several pieces', async () => {
  const { id } = await aGame(context.db, { questions: [aQuestion({ kind: 'File' })] })
  expect(await send(`/api/game/${id}/answers/files`, 'POST', 'file', 300_000)).toBe(200)
  expect(await context.sql`select size_bytes from registration_files where game_id = ${id}`).toEqual([{ size_bytes: '300000' }])
})

test('a picture far over the limit is refused before the client has sent the whole picture, and the server reads the rest of the picture', async () => {
  const { id } = await aGame(context.db)
  expect(await send(`/api/edit/games/${id}/poster`, 'PUT', 'file', 40 * 1024 * 1024)).toBe(400)
})

test('stores nothing if the client disconnects during an upload', async () => {
  await send('/api/assets', 'POST', 'files', 1000)
  const before = context.blobs.contents.size
  await expect(send('/api/assets', 'POST', 'files', 500_000, true)).rejects.toThrow()
  expect(await send('/api/assets', 'POST', 'files', 1000)).toBe(200)
  expect(context.blobs.contents.size).toBe(before)
})

/** Sends the start of a multipart body, and then bytes until the server sends a response. */
async function sendEndlessly(path: string, method: string, start: string) {
  const headers = { cookie, 'content-type': 'multipart/form-data; boundary=capstan-test' }
  const outgoing = request({ port, path, method, headers })
  let isAnswered = false
  const answer = new Promise<{ status: number; code: string }>((resolve, reject) => {
    outgoing.once('response', async (incoming) => {
      isAnswered = true
      const text = Buffer.concat(await Array.fromAsync(incoming, (chunk) => Buffer.from(chunk as Buffer))).toString()
      resolve({ status: incoming.statusCode!, code: JSON.parse(text).code })
    })
    outgoing.once('error', reject)
  })
  outgoing.write(start)
  const chunk = Buffer.alloc(256 * 1024, 120)
  const maxBytes = 64 * 1024 * 1024
  for (let bytes = 0; !isAnswered && bytes < maxBytes; bytes += chunk.length)
    await new Promise((resolve) => outgoing.write(chunk, resolve))
  outgoing.end()
  return answer
}

function partOf(disposition: string) {
  return `--capstan-test\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`
}

test.each([
  ['a preamble', 'x'],
  ['a field', partOf('name="other"')],
  ['a file in an ignored field', partOf('name="other"; filename="a.bin"')],
  ['an epilogue', `${partOf('name="file"; filename="a.bin"')}picture\r\n--capstan-test--\r\n`],
])('refuses an upload with %s far over the limit before the client has sent the whole upload', async (_, start) => {
  expect(await sendEndlessly('/api/account/avatar', 'PUT', start)).toEqual({ status: 413, code: 'request.too-large' })
})

/** Starts an api that listens on a port and stores blobs on disk. The api checks the pace of uploads in windows of `windowMs`. */
async function startListening(windowMs: number, slowStoreMs = 0) {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-uploads-'))
  const disk = createFolderBlobStore(folder)
  /** Stores a blob, but pauses after its first chunk. */
  const slowed = async function* (content: Readable) {
    let isFirst = true
    for await (const chunk of content) {
      yield chunk
      if (isFirst) await wait(slowStoreMs)
      isFirst = false
    }
  }
  const blobs =
    slowStoreMs === 0
      ? disk
      : { ...disk, put: (key: string, content: Readable) => disk.put(key, Readable.from(slowed(content), { highWaterMark: 1 })) }
  const app = await startTestApp({ deps: { blobs, uploadPace: { minBytesPerSecond: 100_000, windowMs } } })
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const close = async () => {
    await app.close()
    await rm(folder, { recursive: true })
  }
  /** Lists all files in the store, both complete and partial. */
  const stored = async () => (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  return { ...app, port: (app.app.server.address() as AddressInfo).port, stored, close }
}

/** Starts a multipart body. The caller sends the rest. */
function begin(
  to: { port: number; path: string; method: string; cookie: string },
  part: { field: string; name?: string; type?: string },
) {
  const { field, name = 'a.bin', type = 'application/octet-stream' } = part
  const outgoing = request({
    ...to,
    headers: { cookie: to.cookie, 'content-type': 'multipart/form-data; boundary=capstan-test' },
  })
  outgoing.write(
    `--capstan-test\r\ncontent-disposition: form-data; name="${field}"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`,
  )
  const answer = new Promise<{ status: number; code: string; connection: string | undefined }>((resolve, reject) => {
    outgoing.once('response', async (incoming) => {
      const text = Buffer.concat(await Array.fromAsync(incoming, (chunk) => Buffer.from(chunk as Buffer))).toString()
      resolve({ status: incoming.statusCode!, code: JSON.parse(text || '{}').code, connection: incoming.headers.connection })
    })
    outgoing.once('error', reject)
  })
  const closed = new Promise<void>((resolve) => void outgoing.once('close', () => resolve()))
  return { outgoing, answer, closed, finish: () => outgoing.end('\r\n--capstan-test--\r\n') }
}

/** Sends byte after byte until the server ends the connection. */
function trickle(outgoing: ClientRequest) {
  outgoing.on('error', () => {})
  const timer = setInterval(() => (outgoing.destroyed ? clearInterval(timer) : outgoing.write('x')), 20)
  outgoing.once('close', () => clearInterval(timer))
}

function cookieOf(client: { cookies: Map<string, string> }) {
  return `${plainCookieName}=${client.cookies.get(plainCookieName)}`
}

describe('uploads that are too slow', () => {
  let slow: Awaited<ReturnType<typeof startListening>>
  beforeAll(async () => {
    slow = await startListening(700)
  })
  afterAll(() => slow.close())

  test.each([
    ['a file', '/api/assets', 'POST', 'files'],
    ['an avatar', '/api/account/avatar', 'PUT', 'file'],
    ['a file in an ignored field', '/api/assets', 'POST', 'other'],
  ])('the upload of %s is refused with 408 and leaves no file behind', async (_what, path, method, field) => {
    const { client } = await signInAsNewUser(slow, 'Admin')
    const { outgoing, answer, closed } = begin({ port: slow.port, path, method, cookie: cookieOf(client) }, { field })
    outgoing.write('the beginning')
    trickle(outgoing)
    expect(await answer).toEqual({ status: 408, code: 'request.too-slow', connection: 'close' })
    await closed
    expect([await slow.stored(), await slow.db.select().from(files)]).toEqual([[], []])
  })

  test.each([
    ['too large', '/api/account/avatar', 'PUT', 'file.too-large'],
    ['before the body is read', '/api/game/999999/writeup', 'POST', 'game.unknown'],
    ['unknown sender', '/api/account/avatar', 'PUT', 'session.required'],
  ])('a refused upload that continues slowly is disconnected: %s', async (_what, path, method, code) => {
    const { client } = await signInAsNewUser(slow)
    const cookie = code === 'session.required' ? '' : cookieOf(client)
    const { outgoing, answer, closed } = begin({ port: slow.port, path, method, cookie }, { field: 'file' })
    outgoing.write(Buffer.alloc(Limits.maxImageBytes + 1))
    trickle(outgoing)
    expect(await answer).toMatchObject({ code })
    await closed
  })
})

test('an upload that waits for a slow blob store does not count as too slow', async () => {
  // A slow machine may pause the upload for a second, so the window is longer than that.
  const patient = await startListening(3000, 7000)
  const { client } = await signInAsNewUser(patient, 'Admin')
  const to = { port: patient.port, path: '/api/assets', method: 'POST', cookie: cookieOf(client) }
  const { outgoing, answer, finish } = begin(to, { field: 'files' })
  outgoing.write(Buffer.alloc(8_000_000, 1))
  finish()
  expect(await answer).toMatchObject({ status: 200 })
  await patient.close()
})

describe('limits of concurrent uploads', () => {
  const idle = (client: { cookies: Map<string, string> }, bytes = 0) => {
    const to = { port, path: '/api/account/avatar', method: 'PUT', cookie: cookieOf(client) }
    const upload = begin(to, { field: 'file' })
    upload.answer.catch(() => {})
    upload.outgoing.write(Buffer.alloc(bytes))
    return upload
  }
  const give = async (uploads: ReturnType<typeof idle>[]) => {
    for (const { outgoing } of uploads) outgoing.destroy()
    await Promise.all(uploads.map(({ closed }) => closed))
  }
  const outcome = async (client: Awaited<ReturnType<typeof signInAsNewUser>>['client']) => {
    const response = await client.upload('PUT', '/api/account/avatar', [{ name: 'a.png', content: 'no picture' }])
    return [response.statusCode, response.json().code, response.headers['retry-after']]
  }
  const refused = [429, 'request.rate-limited', '10']
  const taken = [400, 'file.unreadable', undefined]

  test('the number of uploads of a user is limited, and finished uploads do not count', async () => {
    const [{ client }, { client: other }] = [await signInAsNewUser(context), await signInAsNewUser(context)]
    const uploads = Array.from({ length: Limits.maxConcurrentUploads + 1 }, () => idle(client))
    try {
      expect(await Promise.race(uploads.map(({ answer }) => answer))).toMatchObject({ status: 429, code: 'request.rate-limited' })
      expect([await outcome(client), await outcome(other)]).toEqual([refused, taken])
    } finally {
      await give(uploads)
    }
    await expect.poll(() => outcome(client)).toEqual(taken)
  })

  const pictureBytes = Limits.maxImageBytes - 1

  test('the memory for uploads of one user is limited, which does not affect other users', async () => {
    const [{ client }, { client: other }] = [await signInAsNewUser(context), await signInAsNewUser(context)]
    const uploads = Array.from({ length: 3 }, () => idle(client, pictureBytes))
    try {
      expect(await Promise.race(uploads.map(({ answer }) => answer))).toMatchObject({ status: 429, code: 'request.rate-limited' })
      expect(await outcome(other)).toEqual(taken)
    } finally {
      await give(uploads)
    }
    await expect.poll(() => outcome(client)).toEqual(taken)
  })

  test('the memory for uploads of all users together is limited', async () => {
    const users = await Promise.all(Array.from({ length: 9 }, () => signInAsNewUser(context)))
    const uploads = users.flatMap(({ client }) => [idle(client, pictureBytes), idle(client, pictureBytes)])
    expect(pictureBytes * uploads.length).toBeGreaterThan(Limits.maxBufferedUploadBytes)
    try {
      expect(await Promise.race(uploads.map(({ answer }) => answer))).toMatchObject({ status: 429, code: 'request.rate-limited' })
    } finally {
      await give(uploads)
    }
    const { client } = await signInAsNewUser(context)
    await expect.poll(() => outcome(client)).toEqual(taken)
  })
})
