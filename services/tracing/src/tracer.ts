/** Tracing port of the processes. Tracing is optional. */

export type Attributes = Readonly<Record<string, string | number>>

export type Span = Readonly<{
  /** `traceparent` header (W3C Trace Context) for the next process. */
  traceparent: string
  run<T>(work: () => T): T
  /** Ends the span. With an error it counts as failed. */
  end(outcome?: { readonly attributes?: Attributes; readonly error?: unknown }): void
}>

export type SpanOptions = Readonly<{
  /** `server` answers another process, and `client` calls one. By default neither. */
  kind?: 'server' | 'client'
  attributes?: Attributes
  /** `traceparent` from another process. If it is absent or invalid, the current span is the parent, or a new trace starts. */
  parent?: string | undefined
}>

export interface Tracer {
  start(name: string, options?: SpanOptions): Span
  current(): Span | undefined
  /** Sends pending spans and stops. */
  close(): Promise<void>
}

export type TracingConfig = Readonly<{
  /** `http://collector:4318`; traces are sent to `/v1/traces` below it. */
  endpoint: string
  /** Share of traces that are sent, from 0 to 1. */
  sampleRatio: number
}>

/** Runs `work` in a new span, or without one if there is no tracer. */
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
