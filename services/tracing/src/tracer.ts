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
