import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientConnection, Http2Connection } from './client-end.ts'

export type HostClient = Readonly<{
  address: string
  protocol: 'http' | 'https'
  /**
   * True if a proxy in front of the gateway reports the client's address. A connection of such a proxy carries requests of many
   * clients.
   */
  isBehindProxy: boolean
}>

/** Well-formed request for the label of an instance, on a valid connection. */
export type Asked = Readonly<{
  label: string
  /** Host name as the client sent it. */
  host: string
  client: HostClient
}>

export function isHttp2Request(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2
}

/** Parts of an HTTP/2 request that HTTP/1.1 does not have. */
export type Http2Parts = {
  readonly stream: Readonly<{ session: Http2Connection | undefined; closed: boolean; close(code: number): void }>
}

export function hostOf(request: IncomingMessage): string | undefined {
  return (request.headers[':authority'] as string | undefined) ?? request.headers.host
}

/**
 * Returns the TLS server name of the client.
 * @returns undefined if TLS does not end here
 */
export function serverNameOf({ socket }: IncomingMessage): string | undefined {
  const { servername, encrypted } = socket as { readonly servername?: string | false; readonly encrypted?: boolean }
  return encrypted ? (servername || '').toLowerCase() : undefined
}

/** True if the client has disconnected, or the answer cannot be sent. */
export function isClosed(request: IncomingMessage, response: ServerResponse): boolean {
  return isHttp2Request(request)
    ? (request as unknown as Http2Parts).stream.closed
    : response.destroyed || request.socket.writableEnded
}

export function connectionOf(request: IncomingMessage): ClientConnection {
  return isHttp2Request(request) ? ((request as unknown as Http2Parts).stream.session ?? request.socket) : request.socket
}
