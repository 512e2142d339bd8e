import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import type { Gateway } from './gateway.ts'
import { problemAnswer, sendAnswer } from './http/answers.ts'

export interface GatewayServer {
  readonly server: Server
  /** Resolves when it listens; rejects if it cannot. Port 0 takes a free one. */
  listen(port: number, host: string): Promise<AddressInfo>
  /** Not ready from now on, so that load balancers look elsewhere; everything else goes on. */
  retire(): void
  /** Ends the gateway and the server. */
  close(options: { readonly drainMs: number }): Promise<void>
}

/** The gateway as a server of its own, with `/livez`, `/healthz`, `/readyz` and `/metrics`. */
export function createGatewayServer(gateway: Gateway): GatewayServer {
  let isRetired = false
  const server = createServer((request, response) => {
    if (gateway.handle(request, response)) return
    request.resume()
    void answer(request, response).catch(() => response.destroy())
  })
  gateway.attach(server)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]
    if (path === '/livez' || path === '/healthz') sendText(response, 200, 'Healthy')
    else if (path === '/readyz') sendReadiness(response)
    else if (path === '/metrics') await sendMetrics(response, gateway.registry)
    else sendAnswer(response, problemAnswer('route.not-found', request))
  }

  function sendReadiness(response: ServerResponse): void {
    const { isReady, bus, hubClients, proxyConnections } = gateway.health()
    const ready = isReady && !isRetired
    const lines = [
      ready ? 'Ready' : 'Leaving',
      `bus ${bus}`,
      `hub clients ${hubClients}`,
      `proxied connections ${proxyConnections}`,
    ]
    sendText(response, ready ? 200 : 503, lines.join('\n'))
  }

  return {
    server,
    listen(port, host) {
      return new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve(server.address() as AddressInfo)
        })
      })
    },
    retire() {
      isRetired = true
    },
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
  sendAnswer(response, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    body: text,
  })
}

async function sendMetrics(response: ServerResponse, registry: Registry): Promise<void> {
  sendAnswer(response, { status: 200, headers: { 'content-type': registry.contentType }, body: await registry.metrics() })
}
