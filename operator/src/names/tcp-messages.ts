import type { Socket } from 'node:net'
import { maxQueryBytes } from './answer.ts'

const lengthBytes = 2

/** Returns the message with its length as a prefix, as DNS over TCP requires (RFC 1035). */
export function addLengthPrefix(message: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** Writes a message. Resolves when the connection can take the next message, or when it has ended. */
export function writeTcpMessage(connection: Socket, message: Buffer): Promise<void> {
  if (!connection.writable || connection.write(addLengthPrefix(message))) return Promise.resolve()
  return new Promise((resolve) => {
    const finish = () => {
      connection.off('drain', finish).off('close', finish)
      resolve()
    }
    connection.on('drain', finish).on('close', finish)
  })
}

/**
 * Calls `take` for each message of a connection, one message at a time, until the connection is closed. Closes the connection if a
 * message is too long, or if `take` fails.
 */
export function readTcpMessages(
  connection: Socket,
  take: (message: Buffer) => Promise<void>,
  maxBytes: number = maxQueryBytes,
): void {
  let buffered = Buffer.alloc(0)
  let isBusy = false
  async function drain(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (;;) {
      const length = buffered.length < lengthBytes ? undefined : buffered.readUInt16BE()
      if (length !== undefined && length > maxBytes) {
        connection.destroy()
        break
      }
      if (length === undefined || buffered.length < lengthBytes + length) break
      const message = buffered.subarray(lengthBytes, lengthBytes + length)
      buffered = buffered.subarray(lengthBytes + length)
      await take(message)
      if (connection.destroyed) return
    }
    isBusy = false
    connection.resume()
  }
  connection.on('data', (piece) => {
    buffered = Buffer.concat([buffered, Buffer.from(piece)])
    if (isBusy) connection.pause()
    drain().catch(() => connection.destroy())
  })
}
