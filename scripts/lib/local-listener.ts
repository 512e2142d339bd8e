import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import type { ListenerClients } from '@capstan/http/address-limit'
import type { FailureLog } from '@capstan/http/guard'
import { createLimitedServer, type ListenerLimits, type ListenerOptions } from '@capstan/http/listener'
import { PlainError } from './data-folder.ts'

/**
 * Default address, which only this machine can reach. At another address, every client that reaches the platform could register and
 * start challenges.
 */
export const defaultHost = '127.0.0.1'

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function reasonOf(code: string | undefined, host: string, port: number): string | undefined {
  if (code === 'EADDRINUSE') return `Port ${port} is in use: choose another with --port`
  if (code === 'EACCES') return `Port ${port} is not allowed: choose another with --port`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `This machine has no address ${host}: choose another with --host`
  return undefined
}

export type LocalListener = Readonly<{
  server: Server
  port: number
  baseUrl: string
  /** Warning about the address for the user. Undefined if only this machine can reach the listener. */
  warning: string | undefined
}>

/**
 * Opens the listener of `npm start` with the same connection limits as in production.
 * @param gateway function that returns the gateway's settings for connections. The function returns undefined until the
 * gateway exists, because the port is opened before the gateway exists.
 * @throws PlainError if the address cannot be used
 */
export function openListener(
  { host, port: wanted, clients, log }: Readonly<{ host: string; port: number; clients?: ListenerClients; log?: FailureLog }>,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  gateway: () => ListenerOptions | undefined = () => undefined,
  limits?: ListenerLimits,
): Promise<LocalListener> {
  return new Promise((resolve, reject) => {
    const server = createLimitedServer(answer, limits, {
      isUpload: (request) => gateway()?.isUpload?.(request) ?? false,
      onCut: (reason) => gateway()?.onCut?.(reason),
      clients,
      log,
    })
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = reasonOf(error.code, host, wanted)
      reject(reason === undefined ? error : new PlainError(reason, { cause: error }))
    })
    server.listen(wanted, host, () => {
      const address = server.address()
      const port = address && typeof address === 'object' ? address.port : wanted
      const own = host === '0.0.0.0' || host === '::' ? defaultHost : host
      const warning = isLoopback(host)
        ? undefined
        : `Anyone who can reach ${host === '::' || host === '0.0.0.0' ? 'any address of this machine' : host} on port ${port} can open the platform, ` +
          'register and start challenges on this machine; the demo challenges run without any isolation.'
      resolve({ server, port, baseUrl: `http://${isIPv6(own) ? `[${own}]` : own}:${port}`, warning })
    })
  })
}
