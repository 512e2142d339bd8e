import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { kind } from '@capstan/challenge-instance/definition'
import { traceparentAnnotation } from '@capstan/challenge-instance/labels'
import { openTracer } from '@capstan/tracing/open-tracer'
import { startOtlpStandIn } from '@capstan/tracing/testing/otlp-stand-in'
import { expect, test } from 'vitest'
import { createKubernetesRuntime } from '../../instances/lifecycle/kubernetes-runtime.ts'
import { startTestApp } from '../../testing/app.ts'
import { requiredEnvironment } from '../../testing/environment.ts'
import { aChallenge } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { readConfig } from '../config.ts'
import { createStatementTracer } from './tracing.ts'

/** Starts a Kubernetes API server that stores created objects and sends no events. */
async function startApiServer() {
  const created: { kind: string; metadata: { annotations?: Record<string, string> } }[] = []
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.url?.includes('watch=true')) return void response.flushHeaders()
    if (request.method !== 'POST') return void response.end('{"items":[],"metadata":{"resourceVersion":"1"}}')
    const object = (await json(request)) as (typeof created)[number] & { metadata: object }
    created.push(object)
    response.end(JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: '2' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    created,
    access: {
      server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      requestOptions: async () => ({}),
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function startWorld() {
  const collector = await startOtlpStandIn()
  const cluster = await startApiServer()
  const tracer = await openTracer('capstan-api', { endpoint: collector.endpoint, sampleRatio: 1 })
  const { instances: settings } = readConfig(requiredEnvironment)
  const runtime = createKubernetesRuntime({ access: cluster.access, settings, log: { warn() {} }, tracer })
  const context = await startTestApp({ observe: createStatementTracer(tracer!), deps: { runtime, tracer } })
  return {
    collector,
    cluster,
    context,
    /** Closes everything and returns the recorded spans. */
    async end() {
      await context.close()
      await runtime.close()
      await tracer!.close()
      await cluster.close()
      await collector.close()
      return collector
    },
  }
}

test('one trace contains a request, its SQL statements, its Kubernetes calls and the instance', async () => {
  const { cluster, context, end } = await startWorld()
  const challenge = await aChallenge(context.db, { type: 'StaticContainer', containerImage: 'shop:1', port: 8080 })
  const { client } = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const answer = await client.inject({
    method: 'POST',
    url: `/api/game/${challenge.gameId}/container/${challenge.id}`,
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, 'content-type': 'application/json' },
    payload: '{}',
  })
  expect(answer.statusCode).toBe(200)
  const collector = await end()

  const request = collector.span('POST /api/game/:id/container/:cid')
  expect(request).toMatchObject({ service: 'capstan-api', traceId, parentSpanId: 'b7ad6b7169203331', hasFailed: false })
  expect(request.attributes).toMatchObject({ 'http.response.status_code': 200, 'capstan.request_id': expect.any(String) })
  const parts = collector.spans.filter((span) => span.traceId === traceId && span !== request)
  expect(new Set(parts.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request.spanId]))
  expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['SELECT', 'INSERT', 'POST challengeinstances']))
  expect(cluster.created.map((object) => [object.kind, object.metadata.annotations])).toEqual([
    [kind, { [traceparentAnnotation]: `00-${traceId}-${request.spanId}-01` }],
  ])
})

test('traces contain no flags, secret ids or probe requests', async () => {
  const { context, end } = await startWorld()
  const challenge = await aChallenge(context.db, {
    type: 'DynamicContainer',
    containerImage: 'shop:1',
    port: 8080,
    flagTemplate: 'flag{[TEAM_HASH]}',
  })
  const { client } = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const started = await client.post(`/api/game/${challenge.gameId}/container/${challenge.id}`)
  expect(started.statusCode).toBe(200)
  await client.post(`/api/game/${challenge.gameId}/challenges/${challenge.id}`, { flag: 'flag{guessed by hand}' })
  await client.get('/healthz')
  const [row] = await context.sql`select id from instances where challenge_id = ${challenge.id}`
  const said = JSON.stringify((await end()).spans)
  expect(said).toContain('/api/game/:id/challenges/:cid')
  for (const secret of [row?.id, 'guessed by hand', 'healthz']) expect(said).not.toContain(secret)
})
