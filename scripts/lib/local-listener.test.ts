import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { ListenerLimits } from '@capstan/contract/limits'
import { describeListenerLimits, shortLimits } from '@capstan/http/testing/describe-limits'
import { openRawConnection } from '@capstan/http/testing/raw-connection'
import { expect, test } from 'vitest'
import { PlainError } from './data-folder.ts'
import { defaultHost, openListener } from './local-listener.ts'

async function close({ server }: Awaited<ReturnType<typeof openListener>>) {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

describeListenerLimits(
  'npm start',
  async (limits) => {
    const listener = await openListener(
      { host: defaultHost, port: 0 },
      (request, response) => {
        request.on('error', () => {})
        request.on('end', () => response.end()).resume()
      },
      undefined,
      limits,
    )
    return { port: listener.port, close: () => close(listener) }
  },
  { postPath: '/', getPath: '/' },
)

test.each([
  ['slow-headers', 'GET / HTTP/1.1\r\nHost: a\r\n', 'headersMs'],
  ['slow-body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n', 'bodyMs'],
  ['idle', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'idleMs'],
] as const)('the gateway counts each connection that the listener closes at a time limit: %s', async (reason, text, limit) => {
  const counted: string[] = []
  const gateway = { onCut: (why: string) => void counted.push(why) }
  const listener = await openListener(
    { host: defaultHost, port: 0 },
    (request, response) =>
      void request
        .on('error', () => {})
        .on('end', () => response.end())
        .resume(),
    () => gateway,
    // All other limits have the long times of production, so that the tested limit takes effect first.
    { ...ListenerLimits, sweepMs: shortLimits.sweepMs, [limit]: shortLimits[limit] },
  )
  await (await openRawConnection(listener.port, text)).ended
  expect(counted).toEqual([reason])
  await close(listener)
})

test('the local platform listens only on this machine by default', async () => {
  const listener = await openListener({ host: defaultHost, port: 0 }, (_request, response) => void response.end('here'))
  expect(listener).toMatchObject({ baseUrl: `http://127.0.0.1:${listener.port}`, warning: undefined })
  expect(await (await fetch(listener.baseUrl)).text()).toBe('here')
  const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  for (const { address, internal, family } of others)
    if (!internal && family === 'IPv4') await expect(fetch(`http://${address}:${listener.port}`)).rejects.toThrow()
  await close(listener)
})

test('the local platform warns if it listens on another address, and is still reachable from this machine', async () => {
  const listener = await openListener({ host: '0.0.0.0', port: 0 }, (_request, response) => void response.end('here'))
  expect(listener.warning).toMatch(
    /^Anyone who can reach any address of this machine on port \d+ can open the platform, register/,
  )
  expect(await (await fetch(listener.baseUrl)).text()).toBe('here')
  await close(listener)
})

test('the local platform reports an unusable address in a readable message', async () => {
  const taken = await openListener({ host: defaultHost, port: 0 }, () => {})
  const open = (host: string, port: number) => openListener({ host, port }, () => {})
  await expect(open(defaultHost, taken.port)).rejects.toThrow(
    new PlainError(`Port ${taken.port} is in use: choose another with --port`),
  )
  await expect(open('192.0.2.1', 0)).rejects.toThrow(
    new PlainError('This machine has no address 192.0.2.1: choose another with --host'),
  )
  await close(taken)
})
