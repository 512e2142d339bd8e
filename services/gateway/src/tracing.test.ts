import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { openTracer } from '@capstan/tracing/open-tracer'
import { startOtlpStandIn } from '@capstan/tracing/testing/otlp-stand-in'
import { expect, test } from 'vitest'
import { buildGateway } from './gateway.ts'
import { createGatewayServer } from './gateway-server.ts'
import { createHttpBackend } from './http-backend.ts'
import { quietLog, testSecret } from './testing/test-gateway.ts'

test('a probe for a container and its call to the api belong to one trace, whose id the api receives', async () => {
  const collector = await startOtlpStandIn()
  const tracer = (await openTracer('capstan-gateway', { endpoint: collector.endpoint, sampleRatio: 1 }))!
  const asked: (string | undefined)[] = []
  const api = createServer((request, response) => {
    asked.push(String(request.headers.traceparent))
    response.setHeader('content-type', 'application/json').end('{"state":"unknown"}')
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  const backend = createHttpBackend({ apiUrl, internalToken: testSecret, tracer })
  const config = { internalToken: testSecret, trustedProxies: false, publicOrigin: undefined, maxHubWaitingBytes: 262_144 }
  const bus = createInProcessBus()
  const gateway = createGatewayServer(buildGateway(config, { backend, bus, log: quietLog, tracer }))
  const { port } = await gateway.listen(0, '127.0.0.1')

  const id = '0af76519-16cd-43dd-8448-eb211c80319c'
  const traceId = '0af7651916cd43dd8448eb211c80319d'
  await fetch(`http://127.0.0.1:${port}/api/proxy/${id}`, { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } })
  await gateway.close({ drainMs: 0 })
  await tracer.close()
  api.close()
  await collector.close()

  const probe = collector.span('GET proxy')
  const question = collector.span('Ask where a container listens')
  expect(probe).toMatchObject({ service: 'capstan-gateway', traceId, parentSpanId: 'b7ad6b7169203331' })
  expect(question).toMatchObject({ traceId, parentSpanId: probe.spanId, kind: 3 })
  expect(asked).toEqual([`00-${traceId}-${question.spanId}-01`])
  expect(JSON.stringify(collector.spans)).not.toContain(id)
})
