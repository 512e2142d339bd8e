import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type SecureContext, TLSSocket } from 'node:tls'
import { Guard } from '@capstan/http/guard'
import type { GatewayLogger } from '../log.ts'

/** More than any client says before it is answered. */
const helloMaxBytes = 16 * 1024

/** What a client of TLS said first. */
export interface Hello {
  /** Undefined: it named no server. */
  readonly serverName: string | undefined
  /** Every byte that it was read from. */
  readonly bytes: Buffer
}

/**
 * Finds out which server a client of TLS wants, before anybody answers it: OpenSSL reads a copy of what the client sends, in a
 * connection that leads nowhere. The socket is paused afterwards, and nothing was written to it.
 * Undefined: it is no TLS, or broke off, or too long.
 */
export function readHello(socket: Socket, secureContext: SecureContext, log: GatewayLogger): Promise<Hello | undefined> {
  const { promise, resolve } = Promise.withResolvers<Hello | undefined>()
  const chunks: Buffer[] = []
  let length = 0
  const copy = new Duplex({
    read() {},
    // It would answer: the client named no server, or what it said is no TLS.
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
    if (length > helloMaxBytes) finish(undefined)
    else copy.push(chunk)
  }

  function finish(hello: Hello | undefined): void {
    socket.off('data', take)
    socket.off('close', giveUp)
    socket.off('end', giveUp)
    socket.pause()
    resolve(hello)
    // Not within its own callback.
    setImmediate(() => {
      reader.destroy()
      copy.destroy()
    })
  }
}
