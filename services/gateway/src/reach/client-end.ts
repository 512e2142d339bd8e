import type { ServerHttp2Session } from 'node:http2'
import { Socket } from 'node:net'
import type { Guard } from '@capstan/http/guard'
import { currentAnswer } from '@capstan/http/listener'

/** A session of HTTP/2 with what it came by, which Node gives out to nobody who might end it. */
export type Http2Connection = ServerHttp2Session & { readonly carrier: Socket }

/** By which a client's requests come. */
export type ClientConnection = Socket | Http2Connection

/** True if a client waits for an answer. */
const isAnswering = (socket: Socket): boolean => currentAnswer(socket)?.writableEnded === false

/**
 * Ends a client's connection within `endMs`, whether the client agrees or not. Of HTTP/1.1 what it asked before it heard of that is
 * answered: for half of the time requests are taken; then comes our end, and what the client still says is read, so that no answer is
 * lost by a reset. A client of HTTP/2 is told which of its requests were taken, and asks for the others elsewhere.
 * @param isUsed its client has gone on with something else that is there
 */
export function endClient(connection: ClientConnection, endMs: number, guard: Guard, isUsed: () => Promise<boolean>): void {
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
