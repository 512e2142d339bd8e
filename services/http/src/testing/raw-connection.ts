import { connect, type Socket } from 'node:net'

/** A connection that says only what a test lets it say. */
export interface RawConnection {
  readonly socket: Socket
  /** What came so far. */
  readonly text: () => string
  /** Resolves with all that came, when the other side has ended it. */
  readonly ended: Promise<string>
}

export const openRaw = async (port: number, first = ''): Promise<RawConnection> => {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  // Being cut off in the middle of a word is what tests are about.
  socket.on('error', () => {})
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  await new Promise((resolve) => socket.once('connect', resolve))
  if (first) socket.write(first)
  return { socket, ended, text: () => text }
}

/** Writes the same again and again, until the connection is over. */
export const drip = ({ socket, ended }: RawConnection, piece: string, everyMs: number): void => {
  const timer = setInterval(() => socket.write(piece), everyMs)
  void ended.then(() => clearInterval(timer))
}
