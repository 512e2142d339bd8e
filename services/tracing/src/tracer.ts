/** Interface for the traces of a process. Tracing is optional. */

export type Attributes = Readonly<Record<string, string | number>>

export type Span = Readonly<{
  /** Value of the `traceparent` header (W3C Trace Context) in requests to other processes. */
  traceparent: string
  run<T>(work: () => T): T
  /** Ends the span. If an error is given, the span counts as failed. */
  end(outcome?: Readonly<{ attributes?: Attributes; error?: unknown }>): void
}>

export type SpanOptions = Readonly<{
  /**
   * `server` if this process responds to another process, `client` if this process calls another process. By default,
   * the span has neither kind.
   */
  kind?: 'server' | 'client'
  attributes?: Attributes
  /**
   * `traceparent` from another process. If it is absent or invalid, the current span becomes the parent. Without a current span,
   * a new trace starts.
   */
  parent?: string | undefined
}>

export interface Tracer {
  start(name: string, options?: SpanOptions): Span
  current(): Span | undefined
  /** Sends the pending spans and stops. */
  close(): Promise<void>
}

export type TracingConfig = Readonly<{
  /** Address of the collector, such as `http://collector:4318`. Traces are sent to `/v1/traces` below it. */
  endpoint: string
  /** Share of the traces that are sent, from 0 to 1. */
  sampleRatio: number
}>

/** Runs `work` in a new span. Without a tracer, only runs `work`. */
export async function runInSpan<T>(
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
