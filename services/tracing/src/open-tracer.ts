import type { Tracer, TracingConfig } from './tracer.ts'

/**
 * Opens the tracer if tracing is configured. Without tracing, the exporter is not even loaded.
 * @param service name of the process in its traces, for example `capstan-api`
 */
export async function openTracer(service: string, config: TracingConfig | undefined): Promise<Tracer | undefined> {
  if (config === undefined) return undefined
  const { createOtlpTracer } = await import('./otlp-tracer.ts')
  return createOtlpTracer(service, config)
}
