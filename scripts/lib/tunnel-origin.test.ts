import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { userIds } from '@capstan/gateway/testing/fake-backend'
import { echoReceivedBytes, id, provideProxyGateway, waiting } from '@capstan/gateway/testing/proxy-world'
import { openRawWebSocket } from '@capstan/gateway/testing/raw-client'
import { testSecret } from '@capstan/gateway/testing/test-gateway'
import { buildPagesApp } from '@capstan/pages/app'
import { afterEach, expect, test, vi } from 'vitest'

const { start } = provideProxyGateway()
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function startPages(gatewayUrl: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-tunnel-'))
  undo.push(() => rm(folder, { recursive: true }))
  await writeFile(path.join(folder, 'index.html'), '<title>%title%</title>')
  const { app } = await buildPagesApp({
    ...{ host: '127.0.0.1', port: 0, trustedProxies: false, apiUrl: gatewayUrl, gatewayUrl, internalToken: testSecret },
    ...{ folder, logLevel: 'silent', shutdownDelayMs: 0, drainMs: 0 },
  } as Parameters<typeof buildPagesApp>[0])
  undo.push(() => app.close())
  return (await app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')
}

test.each([
  ['no origin', undefined, userIds.player],
  ['the origin of the site', 'http://site.test', userIds.player],
  ['the origin of an instance below the site', 'http://abc.site.test', null],
  ['the origin of another port', 'http://site.test:9000', null],
])('the gateway ignores the session cookie if a page of another origin opens a WebSocket: %s', async (_name, origin, userId) => {
  const { gateway, backend } = await start(echoReceivedBytes)
  const site = await startPages(gateway.origin)
  const headers = { host: 'site.test', cookie: 'session=player', ...(origin !== undefined && { origin }) }
  const { socket, closed } = await openRawWebSocket(`${site}/api/proxy/${id}`, headers)
  socket.close()
  await closed
  await vi.waitFor(() => expect([...backend.reports.values()][0]?.closedAt).toEqual(expect.any(String)), waiting)
  await vi.waitFor(() => expect([...backend.reports.values()][0]?.userId).toBe(userId), waiting)
  expect(backend.questions).toHaveLength(userId === null ? 0 : 1)
})
