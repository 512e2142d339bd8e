/** Traces for whoever wants them: the port that processes use. */

export type Attributes = Readonly<Record<string, string | number>>

/** One piece of work of a trace. */
export interface Span {
  /** What the next process is told, as the header `traceparent` (W3C Trace Context). */
  readonly traceparent: string
  /** Does `work` so that every span begun in it, however late, is a child of this one. */
  run<T>(work: () => T): T
  /** With an error the span counts as failed. */
  end(outcome?: { readonly attributes?: Attributes; readonly error?: unknown }): void
}

export interface SpanOptions {
  /** `server`: answers somebody else; `client`: asks somebody else; by default neither. */
  readonly kind?: 'server' | 'client'
  /** Never an instance's UUID, a flag, or what a person typed. */
  readonly attributes?: Attributes
  /** `traceparent` from another process; absent or not understood: the span under way, or a new trace. */
  readonly parent?: string | undefined
}

export interface Tracer {
  start(name: string, options?: SpanOptions): Span
  /** The span under way. */
  current(): Span | undefined
  /** Sends what is left. */
  close(): Promise<void>
}

export interface TracingConfig {
  /** `http://collector:4318`; traces go to `/v1/traces` below it. */
  readonly endpoint: string
  /** Share of traces that are sent, 0 to 1. */
  readonly sampleRatio: number
}

/**
 * From the standard variables OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_TRACES_SAMPLER_ARG; undefined: no traces.
 * @param faults gets a sentence for each value that is wrong
 */
export function readTracingConfig(
  environment: Readonly<Record<string, string | undefined>>,
  faults: string[],
): TracingConfig | undefined {
  const endpoint = environment.OTEL_EXPORTER_OTLP_ENDPOINT?.trim()
  if (!endpoint) return undefined
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    faults.push('OTEL_EXPORTER_OTLP_ENDPOINT must be an address like http://collector:4318')
  const sampleRatio = Number(environment.OTEL_TRACES_SAMPLER_ARG?.trim() || 1)
  if (!(sampleRatio >= 0 && sampleRatio <= 1)) faults.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
  return { endpoint, sampleRatio }
}

/** Does `work` in a span of its own; without a tracer, just does it. */
export async function traced<T>(
  tracer: Tracer | undefined,
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work(undefined)
  const span = tracer.start(name, options)
  try {
    const result = await span.run(() => work(span))
    span.end()
    return result
  } catch (error) {
    span.end({ error })
    throw error
  }
}
