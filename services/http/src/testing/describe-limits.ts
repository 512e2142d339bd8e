import { ListenerLimits as defaults } from '@capstan/contract/limits'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListenerLimits } from '../listener.ts'
import { openRawConnection, sendUntilClosed } from './raw-connection.ts'

/** Short limits for tests. All other limits have their production values. */
export const shortLimits: ListenerLimits = { ...defaults, headersMs: 150, bodyMs: 300, idleMs: 200, stalledMs: 800, sweepMs: 20 }

type Listening = Readonly<{
  port: number
  close(): Promise<unknown>
}>

/**
 * Tests the limits that every listener of the platform enforces, with `shortLimits`.
 * @param postPath path at which the server reads the request body
 * @param getPath path at which the server responds without reading a body
 */
export function describeListenerLimits(
  name: string,
  start: (limits: ListenerLimits) => Promise<Listening>,
  { postPath, getPath }: Readonly<{ postPath: string; getPath: string }>,
): void {
  describe(`the listener of ${name}`, () => {
    let listening: Listening
    beforeAll(async () => {
      listening = await start(shortLimits)
    })
    afterAll(() => listening.close())

    const post = (type: string) =>
      `POST ${postPath} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 100000\r\n\r\n`

    test('ends a connection that sends nothing', async () => {
      expect(await (await openRawConnection(listening.port)).ended).toMatch(/^(HTTP\/1.1 408 |$)/)
    })

    test('ends a connection whose headers never end', async () => {
      const connection = await openRawConnection(listening.port, `GET ${getPath} HTTP/1.1\r\n`)
      sendUntilClosed(connection, 'X: y\r\n', 20)
      expect(await connection.ended).toMatch(/^HTTP\/1.1 408 /)
    })

    test('ends a connection whose body never ends', async () => {
      const connection = await openRawConnection(listening.port, post('application/json'))
      sendUntilClosed(connection, ' ', 20)
      expect(await connection.ended).toMatch(/^HTTP\/1.1 \d+ /)
    })

    test('ends an upload that is far too slow', async () => {
      const connection = await openRawConnection(listening.port, post('multipart/form-data; boundary=x'))
      sendUntilClosed(connection, '-', 20)
      expect(await connection.ended).toMatch(/^HTTP\/1.1 \d+ /)
    })

    test('ends a connection that is idle after a response', async () => {
      const connection = await openRawConnection(listening.port, `GET ${getPath} HTTP/1.1\r\nHost: x\r\n\r\n`)
      expect(await connection.ended).toMatch(/^HTTP\/1.1 \d+ /)
    })

    test('refuses headers of more than 16 KiB', async () => {
      const connection = await openRawConnection(
        listening.port,
        `GET ${getPath} HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(17_000)}\r\n\r\n`,
      )
      expect(await connection.ended).toMatch(/^HTTP\/1.1 431 /)
    })
  })
}
