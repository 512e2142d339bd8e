import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type SecureContext, TLSSocket } from 'node:tls'
import { Guard } from '@capstan/http/guard'
import type { GatewayLogger } from '../log.ts'

/** Maximum size of a ClientHello, in bytes. No known client sends a larger ClientHello. */
const maxHelloBytes = 16 * 1024

/** Maximum number of separate pieces of a ClientHello in memory. */
const maxPieces = 64

/** First message of a TLS client (ClientHello). */
export type Hello = Readonly<{
  /** Undefined if the client named no server. */
  serverName: string | undefined
  bytes: Buffer
}>

/**
 * Reads the server name of a TLS client before any byte is sent to the client. OpenSSL parses a copy of the client's data on a
 * dummy connection. Afterwards the real socket is paused.
 * @returns undefined if the data is not TLS, incomplete or too long
 */
export function readTlsClientHello(socket: Socket, secureContext: SecureContext, log: GatewayLogger): Promise<Hello | undefined> {
  const { promise, resolve } = Promise.withResolvers<Hello | undefined>()
  const chunks: Buffer[] = []
  let length = 0
  const copy = new Duplex({
    read() {},
    // If OpenSSL writes before it calls SNICallback, the client either sent no server name or does not use TLS.
    write(_chunk, _encoding, done) {
      done()
      finish({ serverName: undefined, bytes: Buffer.concat(chunks) })
    },
  })
  const reader = new TLSSocket(copy, {
    isServer: true,
    secureContext,
    SNICallback: (serverName) => finish({ serverName, bytes: Buffer.concat(chunks) }),
  })
  const giveUp = () => finish(undefined)
  const guard = new Guard(log, socket, reader, copy)
  guard.on(reader, 'error', giveUp)
  guard.on(copy, 'error', giveUp)
  guard.on(socket, 'data', take)
  guard.on(socket, 'close', giveUp)
  guard.on(socket, 'end', giveUp)
  socket.resume()
  return promise

  function take(chunk: Buffer): void {
    length += chunk.length
    chunks.push(chunk)
    // Join the pieces, because each separate piece would take about 240 bytes of memory.
    if (chunks.length > maxPieces) chunks.splice(0, chunks.length, Buffer.concat(chunks))
    if (length > maxHelloBytes) finish(undefined)
    else copy.push(chunk)
  }

  function finish(hello: Hello | undefined): void {
    socket.off('data', take)
    socket.off('close', giveUp)
    socket.off('end', giveUp)
    socket.pause()
    resolve(hello)
    // Do not destroy the TLS reader within its own callback.
    setImmediate(() => {
      reader.destroy()
      copy.destroy()
    })
  }
}
