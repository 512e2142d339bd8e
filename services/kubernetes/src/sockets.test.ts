import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { hasErrorStatus } from './client.ts'
import { closeSocketAfterSending, createFrameSender, openSocket } from './sockets.ts'

/**
 * Starts a WebSocket server.
 * @returns its address, and a function that waits for the server's next socket
 */
async function serve() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  await once(server, 'listening')
  const address = new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const next = async (): Promise<WebSocket> => {
    const [socket] = await once(server, 'connection')
    socket.on('error', () => {})
    return socket
  }
  return { address, next }
}

async function pair() {
  const { address, next } = await serve()
  const [far, near] = await Promise.all([next(), openSocket(address, [], {})])
  return { far, near }
}

test('a socket loses no message that arrives before it has a listener', async () => {
  const { address, next } = await serve()
  const connecting = next().then((socket) => socket.send('first'))
  const socket = await openSocket(address, [], {})
  await connecting
  const received: string[] = []
  socket.on('message', (data: Buffer) => void received.push(data.toString()))
  socket.resume()
  await expect.poll(() => received.length === 1).toBe(true)
  expect(received).toEqual(['first'])
})

test('a socket fails if a message has too many fragments', async () => {
  const { far, near } = await pair()
  const failed = once(near, 'error')
  near.resume()
  for (let sent = 0; sent < 256; sent += 1) far.send('x', { fin: false })
  far.send('x', { fin: true })
  expect((await failed)[0]).toMatchObject({ code: 'WS_ERR_TOO_MANY_BUFFERED_PARTS' })
})

test('opening a socket fails with the status of a refusal, and also fails without a server', async () => {
  const server = createServer()
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(hasErrorStatus(await openSocket(address, [], {}).catch((error: unknown) => error), 403)).toBe(true)
  server.close()
  await once(server, 'close')
  await expect(openSocket(address, [], {})).rejects.toThrow('ECONNREFUSED')
})

test('a frame sender reads only as fast as the other side reads, and passes all messages', async () => {
  const [source, target] = [await pair(), await pair()]
  const received: number[] = []
  let maxUnsent = 0
  target.far.pause()
  target.far.on('message', (data: Buffer) => void received.push(data.length))
  target.near.resume()
  source.near.on(
    'message',
    createFrameSender(source.near, target.near, (frame) => {
      maxUnsent = Math.max(maxUnsent, target.near.bufferedAmount)
      return frame
    }),
  )
  source.near.resume()
  const count = 1_000
  for (let sent = 0; sent < count; sent += 1) source.far.send(Buffer.alloc(32 * 1024))
  await expect.poll(() => source.near.isPaused).toBe(true)
  target.far.resume()
  await expect.poll(() => received.length === count).toBe(true)
  expect(received.every((bytes) => bytes === 32 * 1024)).toBe(true)
  expect(maxUnsent).toBeLessThan(1024 * 1024)
})

test('a frame sender sends nothing to a socket that has ended, and skips messages that `convert` drops', async () => {
  const { far, near } = await pair()
  const sender = createFrameSender(near, near, () => undefined)
  sender(Buffer.from('x'), true)
  near.resume()
  far.terminate()
  await once(near, 'close')
  createFrameSender(far, near, (frame) => frame)(Buffer.from('x'), true)
  closeSocketAfterSending(near, 1000)
  expect(near.bufferedAmount).toBe(0)
})

test('ends a socket once its unsent data is sent, even if the other side never confirms the end', async () => {
  const { far, near } = await pair()
  far.pause()
  near.send('last words')
  closeSocketAfterSending(near, 4000, 'over')
  await once(near, 'close')
  const received: string[] = []
  far.on('message', (data: Buffer) => void received.push(data.toString()))
  far.resume()
  const [code, reason] = await once(far, 'close')
  expect([received, code, reason.toString()]).toEqual([['last words'], 4000, 'over'])
})
