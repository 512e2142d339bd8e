import type { ServerHttp2Session } from 'node:http2'
import { Socket } from 'node:net'
import type { Guard } from '@capstan/http/guard'
import { findCurrentResponse } from '@capstan/http/listener'

/** HTTP/2 session with its real socket, because `session.socket` of Node is a proxy that cannot be destroyed. */
export type Http2Connection = ServerHttp2Session & { readonly carrier: Socket }

export type ClientConnection = Socket | Http2Connection

/** True if a response on this connection is incomplete. */
function isAnswering(socket: Socket): boolean {
  return findCurrentResponse(socket)?.writableEnded === false
}

/**
 * Ends a client's connection within `endMs`, even if the client does not confirm. An HTTP/1.1 client gets the responses
 * to earlier requests. During the first half of `endMs`, the client may send more requests. After that, the gateway
 * closes its sending direction but still reads. If the gateway stopped reading immediately, the connection could be
 * reset before the client has read the last response. An HTTP/2 client learns which requests were accepted, and can
 * send all other requests on a new connection.
 * @param isUsed true if the connection now serves another valid target, so that it must remain open
 */
export function endClientConnection(
  connection: ClientConnection,
  endMs: number,
  guard: Guard,
  isUsed: () => Promise<boolean>,
): void {
  const later = (ms: number, act: () => Promise<unknown>): void => void setTimeout(() => guard.run(act), ms).unref()
  if (connection instanceof Socket) {
    const isBusy = async () => (await isUsed()) || isAnswering(connection)
    later(endMs / 2, async () => (await isBusy()) || connection.end())
    later(endMs, async () => (await isBusy()) || connection.destroy())
    return
  }
  connection.close()
  later(endMs, async () => (await isUsed()) || connection.carrier.destroy())
}
