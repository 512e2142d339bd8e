import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { traceparentAnnotation } from '@capstan/challenge-instance/labels'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import { createKubeClient } from '@capstan/kubernetes/client'
import { openTracer } from '@capstan/tracing/open-tracer'
import { startOtlpStandIn } from '@capstan/tracing/testing/otlp-stand-in'
import { expect, it } from 'vitest'
import { anInstance } from './testing/builders.ts'
import { tracePasses, traceRequests } from './tracing.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const annotations = { [traceparentAnnotation]: `00-${traceId}-b7ad6b7169203331-01` }

it('reconciliations until an instance is ready belong to the trace of its start, and have spans for their requests', async () => {
  const collector = await startOtlpStandIn()
  const tracer = (await openTracer('capstan-operator', { endpoint: collector.endpoint, sampleRatio: 1 }))!
  const server = createServer((_request, response) => response.end('{"metadata":{}}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const access = {
    server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    requestOptions: async () => ({}),
  }
  const client = createKubeClient(access, { userAgent: 'tests', wrapRequest: traceRequests(tracer) })
  const trace = tracePasses(tracer)
  const starting = anInstance()
  starting.metadata.annotations = annotations
  const running = { ...starting, status: { startedAt: '2030-01-01T00:00:00Z' } }

  await client.get(pods, 'instances', 'outside-of-a-pass')
  await trace(starting, async () => {
    await client.get(pods, 'instances', 'one')
    return { failure: new Error('quota') }
  })
  await trace(running, async () => ({}))
  await tracer.close()
  client.close()
  server.close()
  await collector.close()

  const [first, later] = collector.spans.filter(({ name }) => name === 'Reconcile')
  expect(first).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', hasFailed: true, message: 'quota' })
  expect(first?.attributes).toEqual({
    'capstan.challenge_id': starting.spec.challengeId,
    'capstan.team_id': starting.spec.teamId,
  })
  expect(collector.span('get pods')).toMatchObject({ traceId, parentSpanId: first?.spanId, kind: 3 })
  expect(later).toMatchObject({ parentSpanId: '', hasFailed: false })
  expect(later?.traceId).not.toBe(traceId)
})
