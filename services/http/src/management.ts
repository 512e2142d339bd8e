import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLimitedServer } from './listener.ts'

export interface Readiness {
  readonly isReady: boolean
  readonly text: string
}

export interface ManagementOptions {
  readonly host: string
  /** CAPSTAN_MANAGEMENT_PORT; 0 takes a free one, absent: nothing is served. */
  readonly port: number | undefined
  /** A registry of prom-client. */
  readonly registry: { readonly contentType: string; metrics(): Promise<string> }
  readonly readiness: () => Readiness | Promise<Readiness>
}

export interface Management {
  readonly port: number
  close(): Promise<void>
}

const send = (response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
  response.end(text)
}

const listen = (server: Server, port: number, host: string): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })

/**
 * `/livez`, `/readyz` and `/metrics` of a process on a port of their own: figures are not for the world, and whoever fills the port
 * of the players does not get the process restarted for it.
 */
export const startManagement = async ({
  host,
  port,
  registry,
  readiness,
}: ManagementOptions): Promise<Management | undefined> => {
  if (port === undefined) return undefined
  const answer = async (url: string, response: ServerResponse): Promise<void> => {
    switch (url.split('?')[0]) {
      case '/livez':
        return send(response, 200, 'Healthy')
      case '/readyz': {
        const { isReady, text } = await readiness()
        return send(response, isReady ? 200 : 503, text)
      }
      case '/metrics':
        return send(response, 200, await registry.metrics(), registry.contentType)
      default:
        return send(response, 404, 'There is nothing at this address')
    }
  }
  const server = createLimitedServer((request, response) => {
    request.resume()
    void answer(request.url ?? '/', response).catch(() => response.destroy())
  })
  const address = await listen(server, port, host)
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { port: address.port, close }
}
