import type { Tracer, TracingConfig } from './tracer.ts'

/**
 * The one place that knows whether there are traces. What it takes to send them is loaded only then.
 * @param service name of the process in its traces, for example `capstan-api`
 */
export async function openTracer(service: string, config: TracingConfig | undefined): Promise<Tracer | undefined> {
  if (config === undefined) return undefined
  const { createOtlpTracer } = await import('./otlp-tracer.ts')
  return createOtlpTracer(service, config)
}
