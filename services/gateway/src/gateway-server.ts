import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLimitedServer, type ListenerLimits } from '@capstan/http/listener'
import type { Readiness } from '@capstan/http/management'
import type { Gateway } from './gateway.ts'
import { createProblemHttpResponse, sendHttpResponse } from './http/answers.ts'

export type GatewayServer = Readonly<{
  server: Server
  /** Listens on a port. If `port` is 0, listens on a free port. Rejects if listening is impossible. */
  listen(port: number, host: string): Promise<AddressInfo>
  /** Marks this process as unready, so that load balancers use other gateways. It continues to serve clients. */
  retire(): void
  /** Returns the content of `/readyz`, which both this server and the management port serve. */
  readiness(): Readiness
  close(options: { readonly drainMs: number }): Promise<void>
}>

/** Creates a server for the gateway, with `/livez`, `/healthz` and `/readyz`. */
export function createGatewayServer(gateway: Gateway, limits?: ListenerLimits): GatewayServer {
  let isRetired = false
  const server = createLimitedServer(
    (request, response) => {
      // Close each keep-alive connection after this response, so that its client reconnects to another process.
      if (isRetired) response.shouldKeepAlive = false
      if (gateway.handle(request, response)) return
      request.resume()
      answer(request, response)
    },
    limits,
    gateway.listening,
  )
  gateway.attach(server)

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '').split('?')[0]
    if (path === '/livez' || path === '/healthz') sendText(response, 200, 'Healthy')
    else if (path === '/readyz') sendText(response, readiness().isReady ? 200 : 503, readiness().text)
    else sendHttpResponse(response, createProblemHttpResponse('route.not-found', request))
  }

  function readiness(): Readiness {
    const { isReady, isStarting, bus, hubClients, proxyConnections } = gateway.health()
    const ready = isReady && !isRetired
    const lines = [
      ready ? 'Ready' : isStarting ? 'Waiting for Redis' : 'Leaving',
      `bus ${bus}`,
      `hub clients ${hubClients}`,
      `proxied connections ${proxyConnections}`,
    ]
    return { isReady: ready, text: lines.join('\n') }
  }

  return {
    server,
    async listen(port, host) {
      server.listen(port, host)
      await once(server, 'listening')
      return server.address() as AddressInfo
    },
    retire() {
      isRetired = true
    },
    readiness,
    async close({ drainMs }) {
      await gateway.close({ drainMs })
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  sendHttpResponse(response, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    body: text,
  })
}
