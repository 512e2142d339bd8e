import { describeListenerLimits, shortLimits } from '@capstan/http/testing/describe-limits'
import { openRawConnection } from '@capstan/http/testing/raw-connection'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openHubClient, provideHubGateway } from './testing/hub-world.ts'
import { concatReceivedBytes, echoReceivedBytes, id, provideProxyGateway, waiting } from './testing/proxy-world.ts'
import { startTestGateway } from './testing/test-gateway.ts'

describeListenerLimits('the gateway', (limits) => startTestGateway({ limits }), {
  postPath: '/hub/user/negotiate',
  getPath: '/hub/user',
})

/**
 * Opens silent connections one after another until all time limits have passed. The server ends each of these connections at the
 * header timeout.
 */
async function outlastLimits(port: number): Promise<void> {
  const startedAtMs = performance.now()
  while (performance.now() - startedAtMs < 1.5 * shortLimits.stalledMs) await (await openRawConnection(port)).ended
}

const proxies = provideProxyGateway()
const hubs = provideHubGateway()

test('the time limits of the listener do not end idle connections to an instance', async () => {
  const { gateway } = await proxies.start(echoReceivedBytes, { limits: shortLimits })
  const client = await proxies.open(`/api/proxy/${id}`)
  await outlastLimits(gateway.port)
  client.socket.send('still here')
  await vi.waitFor(() => expect(concatReceivedBytes(client).toString()).toBe('still here'), waiting)
})

test('the time limits of the listener do not end connections of hub clients', async () => {
  const gateway = await hubs.start({ limits: shortLimits })
  const client = await openHubClient(gateway, '/hub/user?game=7')
  await outlastLimits(gateway.port)
  expect(client.socket.readyState).toBe(client.socket.OPEN)
  client.socket.terminate()
})

test.each([
  ['slow-headers', 'GET /hub/user HTTP/1.1\r\nHost: a\r\n'],
  ['slow-body', 'POST /hub/user/negotiate HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n'],
  ['small-pieces', `POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(2_000)}`],
  ['idle', 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'],
])('the gateway counts a connection that it ended because of the limit %s', async (limit, text) => {
  const gateway = await startTestGateway({ limits: shortLimits })
  onTestFinished(() => gateway.close())
  await (await openRawConnection(gateway.port, text)).ended
  const metric = await gateway.gateway.registry.getSingleMetric('capstan_gateway_refusals_total')?.get()
  expect(metric?.values.map(({ labels, value }) => [labels.limit, value])).toEqual([[limit, 1]])
})
