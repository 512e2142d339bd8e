import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Tracer } from './tracer.ts'

export function isProbeUrl(url: string): boolean {
  return /^\/(livez|healthz|readyz|metrics)(\?|$)/.test(url)
}

export function traceparentOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return typeof headers.traceparent === 'string' ? headers.traceparent : undefined
}

/**
 * Handles a request inside a span, which ends when the response is sent or lost. Probes get no span. Without a tracer, no request
 * gets a span.
 * @param name method and pattern of the address. It must not contain ids, so that a name groups all requests of a kind.
 */
export function traceRequest(
  tracer: Tracer | undefined,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => void,
): void {
  if (tracer === undefined || isProbeUrl(request.url ?? '')) {
    answer()
    return
  }
  const attributes = { 'http.request.method': request.method ?? '' }
  const span = tracer.start(name, { kind: 'server', attributes, parent: traceparentOf(request) })
  response.once('close', () => {
    const { statusCode } = response
    const failed = statusCode >= 500 && { error: new Error(`Answered ${statusCode}`) }
    span.end({ attributes: { 'http.response.status_code': statusCode }, ...failed })
  })
  span.run(answer)
}
