import type { ServerHttp2Session } from 'node:http2'
import { Socket } from 'node:net'
import type { Guard } from '@capstan/http/guard'
import { findCurrentResponse } from '@capstan/http/listener'

/** HTTP/2 session with its bare socket. The socket that Node's session exposes cannot be ended. */
export type Http2Connection = ServerHttp2Session & { readonly carrier: Socket }

/** Connection that carries a client's requests. */
export type ClientConnection = Socket | Http2Connection

/** True if a client waits for an answer. */
function isAnswering(socket: Socket): boolean {
  return findCurrentResponse(socket)?.writableEnded === false
}

/**
 * Ends a client's connection within `endMs`, even if the client does not confirm. An HTTP/1.1 client gets answers to earlier
 * requests, and may send more requests during the first half of this time. After that, our side sends no more but still reads, so
 * that a reset loses no answer. An HTTP/2 client learns which requests were accepted, and sends the others elsewhere.
 * @param isUsed true if the client now uses another valid target
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
