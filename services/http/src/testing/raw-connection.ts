import { connect, type Socket } from 'node:net'

/** Connection that sends only the bytes that the test passes. */
export type RawConnection = Readonly<{
  socket: Socket
  text: () => string
  /** Resolves with the received text when the peer has closed the connection. */
  ended: Promise<string>
}>

export async function openRawConnection(port: number, first = ''): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  // Ignore errors, because these tests expect connections to break.
  socket.on('error', () => {})
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  await new Promise((resolve) => socket.once('connect', resolve))
  if (first) socket.write(first)
  return { socket, ended, text: () => text }
}

/** Sends the same piece repeatedly until the connection is closed. */
export function sendUntilClosed({ socket, ended }: RawConnection, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs)
  void ended.then(() => clearInterval(timer))
}
