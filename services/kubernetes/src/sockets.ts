import type { ClientRequest, IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import { WebSocket } from 'ws'
import { ApiError } from './client.ts'

/** Maximum time until a server accepts a WebSocket, in ms. */
const acceptMs = 10_000

/** Maximum time for the other side to confirm the end of a WebSocket, in ms. */
const closeMs = 2_000

/** Maximum size of a message from a server. */
const maxMessageBytes = 1024 * 1024

/**
 * Limits for the parts of a message. Each part needs memory, regardless of its size. A server may split a message of maximum size
 * into fragments of 4 KB, and the network may deliver it in chunks of 256 bytes.
 */
const partLimits = { maxFragments: 256, maxBufferedChunks: 4096 }

/** Maximum size of unsent data, in bytes. Above it, reading from the other socket pauses. */
const maxUnsentBytes = 256 * 1024

/**
 * Opens a WebSocket to a server. The socket is paused, so that no message is lost before the caller adds a listener.
 * @throws ApiError with the status if the server refuses, or another error if there is no connection
 */
export function openSocket(address: URL, protocols: string[], options: RequestOptions): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const bounds = { handshakeTimeout: acceptMs, maxPayload: maxMessageBytes, ...partLimits }
    const socket = new WebSocket(address, protocols, { ...options, ...bounds, perMessageDeflate: false, followRedirects: false })
    // This listener remains, because a socket may fail at any time. `close` follows every error.
    socket.on('error', reject)
    socket.once('open', () => {
      socket.pause()
      resolve(socket)
    })
    socket.once('unexpected-response', (request: ClientRequest, { statusCode = 0 }: IncomingMessage) => {
      reject(new ApiError(statusCode, 'Refused', `The server answered with ${statusCode}`))
      request.destroy()
    })
  })
}

export interface Frame {
  data: Buffer
  isBinary: boolean
}

/**
 * Returns a message listener that sends each message to another socket, only as fast as the peer of that socket reads.
 * @param convert returns the message to send, or undefined to send none
 */
export function createFrameSender(from: WebSocket, to: WebSocket, convert: (frame: Frame) => Frame | undefined) {
  const resumeIfSent = () => {
    if (from.isPaused && to.bufferedAmount < maxUnsentBytes) from.resume()
  }
  return (data: Buffer, isBinary: boolean): void => {
    const frame = to.readyState === WebSocket.OPEN ? convert({ data, isBinary }) : undefined
    if (frame === undefined) return
    to.send(frame.data, { binary: frame.isBinary }, resumeIfSent)
    if (to.bufferedAmount >= maxUnsentBytes) from.pause()
  }
}

/** Ends a socket once its unsent data is sent, even if the other side does not confirm the end. */
export function closeSocketAfterSending(socket: WebSocket, code: number, reason = ''): void {
  if (socket.readyState !== WebSocket.OPEN) {
    socket.terminate()
    return
  }
  // If the socket is paused, resume it. Otherwise it would never receive the close confirmation of the other side.
  if (socket.isPaused) socket.resume()
  socket.close(code, reason)
  const timer = setTimeout(() => socket.terminate(), closeMs)
  socket.once('close', () => clearTimeout(timer))
}
