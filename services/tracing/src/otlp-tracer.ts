import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { tellError } from './tell-error.ts'
import type { Span, Tracer, TracingConfig } from './tracer.ts'

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const

/** A collector that does not answer must not keep a process from ending for longer. */
const closeMs = 2_000

/**
 * Sends traces over OTLP/HTTP, in batches. The exporter reads the other standard variables (OTEL_EXPORTER_OTLP_HEADERS, …) itself.
 * Whether a trace is sent depends on its id alone: processes with the same ratio agree, and no caller can ask to be traced.
 */
export function createOtlpTracer(service: string, { endpoint, sampleRatio }: TracingConfig): Tracer {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: 5_000 })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }).merge(detectResources({ detectors: [envDetector] })),
    sampler: new TraceIdRatioBasedSampler(sampleRatio),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('capstan')
  const underWay = new AsyncLocalStorage<{ readonly span: Span; readonly context: Context }>()

  return {
    start(name, { kind, attributes = {}, parent } = {}) {
      const context = parentContext(parent) ?? underWay.getStore()?.context ?? ROOT_CONTEXT
      const own = tracer.startSpan(name, { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes }, context)
      const { traceId, spanId, traceFlags } = own.spanContext()
      const span: Span = {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
        run: (work) => underWay.run({ span, context: trace.setSpan(context, own) }, work),
        end({ attributes: more = {}, error } = {}) {
          own.setAttributes(more)
          if (error !== undefined) own.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) })
          own.end()
        },
      }
      return span
    },
    current: () => underWay.getStore()?.span,
    async close() {
      const given = new AbortController()
      const sent = provider.shutdown().catch(() => undefined)
      await Promise.race([sent, pause(closeMs, undefined, { signal: given.signal }).catch(() => undefined)])
      given.abort()
    },
  }
}

/** Without UUIDs: that of an instance is the permission to reach it. */
const messageOf = (error: unknown): string =>
  tellError(error).message.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '{id}')

function parentContext(traceparent: string | undefined): Context | undefined {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent)
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : undefined
}
