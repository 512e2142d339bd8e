import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { traceRequest } from './http-server.ts'
import { openTracer } from './open-tracer.ts'
import { startOtlpStandIn } from './testing/otlp-stand-in.ts'
import { runInSpan, type Tracer } from './tracer.ts'

let collector: Awaited<ReturnType<typeof startOtlpStandIn>>

async function open(sampleRatio = 1): Promise<Tracer> {
  return (await openTracer('capstan-test', { endpoint: `${collector.endpoint}/`, sampleRatio }))!
}

beforeEach(async () => {
  collector = await startOtlpStandIn()
})
afterEach(() => collector.close())

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-00`

describe('a tracer', () => {
  it('spans are sent as children of the current span, even if they start after an asynchronous step', async () => {
    const tracer = await open()
    await runInSpan(tracer, 'outer', {}, async () => {
      await pause(1)
      await runInSpan(tracer, 'inner', { kind: 'client', attributes: { count: 2 } }, async () => undefined)
    })
    await runInSpan(tracer, 'next', {}, async () => undefined)
    await tracer.close()
    const outer = collector.span('outer')
    expect(outer).toMatchObject({ service: 'capstan-test', parentSpanId: '', kind: 1 })
    expect(collector.span('inner')).toMatchObject({ traceId: outer.traceId, parentSpanId: outer.spanId, kind: 3 })
    expect(collector.span('inner').attributes).toEqual({ count: 2 })
    expect(collector.span('next').traceId).not.toBe(outer.traceId)
    expect([...collector.paths]).toEqual(['/v1/traces'])
  })

  it('continues the trace of another process, and passes the trace to the next process', async () => {
    const tracer = await open()
    const span = tracer.start('answer', { kind: 'server', parent: traceparent })
    expect(span.run(() => tracer.current())).toBe(span)
    expect(tracer.current()).toBeUndefined()
    span.end()
    await tracer.close()
    const { spanId } = collector.span('answer')
    expect(collector.span('answer')).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' })
    expect(span.traceparent).toBe(`00-${traceId}-${spanId}-01`)
  })

  it.each(['', 'nonsense', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`])(
    'starts a trace if %j is not a valid parent',
    async (parent) => {
      const tracer = await open()
      tracer.start('answer', { parent }).end()
      await tracer.close()
      expect(collector.span('answer').parentSpanId).toBe('')
    },
  )

  it('a span contains the error that its work threw, but no UUID that grants access', async () => {
    const tracer = await open()
    const work = runInSpan(tracer, 'broken', {}, async () => {
      throw new Error('no ci-0af76519-16cd-43dd-8448-eb211c80319c')
    })
    await expect(work).rejects.toThrow('0af76519')
    await tracer.close()
    expect(collector.span('broken')).toMatchObject({ hasFailed: true, message: 'no ci-{id}' })
  })

  it('passes on the id of an unsampled trace, but never sends this trace to the collector', async () => {
    const tracer = await open(0)
    const span = tracer.start('answer', { parent: traceparent.replace(/00$/, '01') })
    span.end()
    await tracer.close()
    expect(span.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
    expect(collector.spans).toEqual([])
  })

  it('the tracer closes even if no collector answers', async () => {
    const tracer = await open()
    await collector.close()
    tracer.start('lost').end()
    await tracer.close()
  })

  it('creates a span for each request except probes, from its start to the end of the response', async () => {
    const tracer = await open()
    const server = createServer((request, response) => {
      traceRequest(tracer, `${request.method} things`, request, response, () => {
        setTimeout(() => response.writeHead(request.url === '/things' ? 503 : 200).end(), 1)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await (await fetch(`${origin}/things`, { headers: { traceparent } })).text()
    await (await fetch(`${origin}/readyz`)).text()
    await new Promise((resolve) => server.close(resolve))
    await tracer.close()
    expect(collector.spans).toHaveLength(1)
    expect(collector.span('GET things')).toMatchObject({ traceId, kind: 2, hasFailed: true })
    expect(collector.span('GET things').attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 503,
    })
  })
})

it('opens no tracer if tracing is not configured', async () => {
  expect(await openTracer('capstan-test', undefined)).toBeUndefined()
  expect(await runInSpan(undefined, 'work', {}, async (span) => span)).toBeUndefined()
})
