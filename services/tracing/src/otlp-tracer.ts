import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { serializeError } from './serialize-error.ts'
import type { Span, Tracer, TracingConfig } from './tracer.ts'

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const

/** Maximum time to send pending spans at the end of a process, in ms. */
const closeMs = 2_000

/**
 * Creates a tracer that sends batches over OTLP/HTTP. The exporter itself reads the other standard environment variables
 * (OTEL_EXPORTER_OTLP_HEADERS, …). Whether a trace is sent depends only on its id. So processes with the same sample ratio send
 * the same traces, and callers cannot force a trace.
 */
export function createOtlpTracer(service: string, { endpoint, sampleRatio }: TracingConfig): Tracer {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: 5_000 })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }).merge(detectResources({ detectors: [envDetector] })),
    sampler: new TraceIdRatioBasedSampler(sampleRatio),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('capstan')
  const currentSpan = new AsyncLocalStorage<Readonly<{ span: Span; context: Context }>>()

  return {
    start(name, { kind, attributes = {}, parent } = {}) {
      const context = parentContext(parent) ?? currentSpan.getStore()?.context ?? ROOT_CONTEXT
      const own = tracer.startSpan(name, { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes }, context)
      const { traceId, spanId, traceFlags } = own.spanContext()
      const span: Span = {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
        run: (work) => currentSpan.run({ span, context: trace.setSpan(context, own) }, work),
        end({ attributes: more = {}, error } = {}) {
          own.setAttributes(more)
          if (error !== undefined) own.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) })
          own.end()
        },
      }
      return span
    },
    current: () => currentSpan.getStore()?.span,
    async close() {
      const given = new AbortController()
      const sent = provider.shutdown().catch(() => undefined)
      await Promise.race([sent, pause(closeMs, undefined, { signal: given.signal }).catch(() => undefined)])
      given.abort()
    },
  }
}

/** Returns the message of an error without UUIDs, because the UUID of an instance grants access to that instance. */
function messageOf(error: unknown): string {
  return serializeError(error).message.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '{id}')
}

function parentContext(traceparent: string | undefined): Context | undefined {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent)
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : undefined
}
