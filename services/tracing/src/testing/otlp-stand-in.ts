import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type ReceivedSpan = Readonly<{
  service: string
  name: string
  traceId: string
  spanId: string
  /** Id of the parent span. Empty for the first span of a trace. */
  parentSpanId: string
  kind: number
  hasFailed: boolean
  message: string
  attributes: Readonly<Record<string, unknown>>
}>

type KeyValue = Readonly<{
  key: string
  value: Readonly<Record<string, unknown>>
}>

type WireSpan = Omit<ReceivedSpan, 'service' | 'parentSpanId' | 'hasFailed' | 'message' | 'attributes'> &
  Readonly<{
    parentSpanId?: string
    status?: Readonly<{ code?: number; message?: string }>
    attributes?: readonly KeyValue[]
  }>

type Export = Readonly<{
  resourceSpans: readonly Readonly<{
    resource: { readonly attributes: readonly KeyValue[] }
    scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }>[]
}>

function plain(pairs: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))
}

function readSpans(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as Export
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ status, parentSpanId = '', attributes, ...span }) => ({
        ...span,
        service: String(plain(resource.attributes)['service.name']),
        parentSpanId,
        hasFailed: status?.code === 2,
        message: status?.message ?? '',
        attributes: plain(attributes),
      })),
  )
}

/** OTLP collector over HTTP. It stores all spans. */
export async function startOtlpStandIn() {
  const spans: ReceivedSpan[] = []
  const paths = new Set<string>()
  const server = createServer(async (request, response) => {
    paths.add(request.url ?? '')
    spans.push(...readSpans(await text(request)))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    paths,
    /** Returns the only span with this name. */
    span(name: string): ReceivedSpan {
      const found = spans.filter((each) => each.name === name)
      if (found.length !== 1) throw new Error(`${found.length} spans are named ${name}, of ${spans.map((each) => each.name)}`)
      return found[0] as ReceivedSpan
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
