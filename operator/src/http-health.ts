import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'
import { createServerLifecycle, type ServerLife } from './server-life.ts'

export interface HealthChecks {
  /**
   * Returns the reason why the process must be restarted.
   * @returns undefined while the process works
   */
  refuseLive(): string | undefined
  /**
   * Returns the reason why the process cannot do its work yet.
   * @returns undefined when it can do its work
   */
  refuseReady(): string | undefined
}

/** Answers `/healthz`, `/readyz` and `/metrics`. */
export function createHealthServer(checks: HealthChecks, registry: Registry): ServerLife {
  const server: Server = createServer((request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
      response.end(request.method === 'HEAD' ? undefined : text)
    }
    const check = (refusal: string | undefined) => answer(refusal === undefined ? 200 : 503, `${refusal ?? 'ok'}\n`)
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, 'Only GET\n')
    switch (request.url?.split('?')[0]) {
      case '/healthz':
        return check(checks.refuseLive())
      case '/readyz':
        return check(checks.refuseReady())
      case '/metrics':
        registry.metrics().then(
          (text) => answer(200, text, registry.contentType),
          (error: unknown) => answer(500, `${String(error)}\n`),
        )
        return
      default:
        return answer(404, 'Not found\n')
    }
  })
  return createServerLifecycle(server)
}
