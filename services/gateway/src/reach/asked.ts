import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientConnection, Http2Connection } from './client-end.ts'

export type HostClient = Readonly<{
  address: string
  protocol: 'http' | 'https'
  /**
   * True if a proxy in front of the gateway reports the client's address. One connection of the proxy carries requests of many
   * clients.
   */
  isBehindProxy: boolean
}>

/** Well-formed request for an instance, after the checks of its host name and its connection. */
export type Asked = Readonly<{
  label: string
  /** Host name as the client sent it. */
  host: string
  client: HostClient
}>

export function isHttp2Request(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2
}

/** Properties of Node's HTTP/2 requests that its HTTP/1.1 requests lack. */
export type Http2Parts = {
  readonly stream: Readonly<{ session: Http2Connection | undefined; closed: boolean; close(code: number): void }>
}

export function hostOf(request: IncomingMessage): string | undefined {
  return (request.headers[':authority'] as string | undefined) ?? request.headers.host
}

/**
 * Returns the server name that the client sent in its TLS handshake, or an empty text if it sent none.
 * @returns undefined if the gateway does not decrypt the connection
 */
export function serverNameOf({ socket }: IncomingMessage): string | undefined {
  const { servername, encrypted } = socket as Readonly<{ servername?: string | false; encrypted?: boolean }>
  return encrypted ? (servername || '').toLowerCase() : undefined
}

/** True if the client has disconnected, or if no response can be sent for another reason. */
export function isResponseClosed(request: IncomingMessage, response: ServerResponse): boolean {
  return isHttp2Request(request)
    ? (request as unknown as Http2Parts).stream.closed
    : response.destroyed || request.socket.writableEnded
}

export function connectionOf(request: IncomingMessage): ClientConnection {
  return isHttp2Request(request) ? ((request as unknown as Http2Parts).stream.session ?? request.socket) : request.socket
}
