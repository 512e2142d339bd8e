import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect as connectTls } from 'node:tls'
import { send100Continue } from '@capstan/http/listener'
import { describe, expect, it, vi } from 'vitest'
import {
  createReadyRouteTarget,
  hostOf,
  label,
  provideReachGateway,
  sendHttpRequest,
  sendTextAndReadResponse,
} from '../testing/reach-world.ts'

const { start, startInstance, startHttpServer } = provideReachGateway()

const own = hostOf(label)
function get(path: string) {
  return `GET ${path} HTTP/1.1\r\nHost: ${own}\r\n\r\n`
}
function upgrade(path: string, host = own) {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
}
const uuid = 'cccccccc-bbbb-4ccc-8ddd-eeeeeeeeeeee'

/** Returns all text that a TLS client receives until the connection ends. */
function talkTls(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connectTls({ port, host: '127.0.0.1', servername: own, rejectUnauthorized: false }, () => socket.write(text))
    socket.on('data', (bytes) => {
      answer += String(bytes)
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(answer))
  })
}

describe('an upgrade request that arrives before an earlier response is complete', () => {
  it.each([
    ['to the same instance', upgrade('/socket')],
    ['to the same instance, twice', upgrade('/socket') + upgrade('/socket')],
    ['to an instance that does not exist', upgrade('/', hostOf('nothing'))],
    ['to a hub', upgrade('/hub/user?game=7', 'site')],
    ['to a tunnel', upgrade(`/api/proxy/${uuid}`, 'site')],
    ['to an unknown address', upgrade('/nowhere', 'site')],
  ])('an early upgrade request %s ends the connection, and other connections still get responses', async (_where, last) => {
    const instance = await startHttpServer((_request, response) => setImmediate(() => response.end('plain')))
    const { gateway, backend, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    for (const ahead of [get('/a'), get('/a') + get('/b')]) {
      expect(await sendTextAndReadResponse(gateway.port, ahead + last)).not.toContain('101 Switching')
      expect(await talkTls(tlsPort, ahead + last)).not.toContain('101 Switching')
    }
    expect((await sendHttpRequest(gateway.port)).text).toBe('plain')
  })
})

describe('100 Continue', () => {
  const aStream = (state: { closed: boolean; destroyed: boolean }) => ({ ...state, close: vi.fn() })
  const aResponse = (more: object = {}) =>
    Object.assign(new EventEmitter(), { headersSent: false, writeContinue: vi.fn(), ...more })

  it.each([[{ closed: true, destroyed: false }], [{ closed: false, destroyed: true }]])(
    '100 Continue is not sent if the HTTP/2 stream has ended: %o',
    (state) => {
      const stream = aStream(state)
      const response = aResponse()
      const request = { stream } as unknown as IncomingMessage
      expect(send100Continue(request, response as unknown as ServerResponse)).toBe(false)
      expect(response.writeContinue).not.toHaveBeenCalled()
      expect(stream.close).toHaveBeenCalledOnce()
    },
  )

  it('100 Continue from an instance is not written into the response to an earlier request', async () => {
    const instance = await startInstance((socket) =>
      socket.on('data', (bytes) => {
        if (String(bytes).startsWith('GET')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha')
        else socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      }),
    )
    const { gateway, backend } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const second = `POST /b HTTP/1.1\r\nHost: ${own}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`
    const heard = await sendTextAndReadResponse(gateway.port, get('/a') + second)
    expect(heard).not.toContain('100 Continue')
  })
})
