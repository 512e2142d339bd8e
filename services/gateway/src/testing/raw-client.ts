import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type NetConnectOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'

/** Bare WebSocket that records the received data. */
export type RawClient = Readonly<{
  socket: WebSocket
  text: () => string
  frames: Buffer[]
  /** Resolves with the status code of the close frame: 1005 if the frame has no code, and 1006 if there is no close frame. */
  closed: Promise<number>
  /** Ends only the sending side of the connection, as a stopping proxy does. */
  endOwnSide: () => void
}>

/** Opens a WebSocket. Rejects with a `RefusedUpgrade`, which contains the response, if the upgrade is refused. */
export async function openRawWebSocket(url: string, headers: Record<string, string> = {}): Promise<RawClient> {
  const connections = new Set<Duplex>()
  const createConnection = (options: NetConnectOpts) => {
    const connection = connect(options)
    connections.add(connection)
    return connection
  }
  const socket = new WebSocket(url, { headers, perMessageDeflate: true, createConnection: createConnection as typeof connect })
  const frames: Buffer[] = []
  let text = ''
  socket.on('message', (data, isBinary) => {
    if (isBinary) frames.push(data as Buffer)
    else text += String(data)
  })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('unexpected-response', (_request, response) => void readRefusal(response).then(reject, reject))
    socket.once('error', reject)
  })
  socket.on('error', () => {})
  const endOwnSide = () => {
    for (const connection of connections) connection.end()
  }
  return { socket, frames, closed, text: () => text, endOwnSide }
}

export class RefusedUpgrade extends Error {
  readonly status: number
  readonly body: unknown
  readonly headers: IncomingMessage['headers']

  constructor(status: number, body: unknown, headers: IncomingMessage['headers']) {
    super(`Refused with ${status}`)
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export async function catchRefusedUpgrade(url: string, headers: Record<string, string> = {}): Promise<RefusedUpgrade> {
  try {
    const { socket } = await openRawWebSocket(url, headers)
    socket.terminate()
  } catch (error) {
    if (error instanceof RefusedUpgrade) return error
    throw error
  }
  throw new Error('The connection was accepted')
}

async function readRefusal(response: IncomingMessage): Promise<RefusedUpgrade> {
  let text = ''
  response.on('data', (chunk) => {
    text += chunk
  })
  await once(response, 'end')
  return new RefusedUpgrade(response.statusCode ?? 0, text === '' ? undefined : JSON.parse(text), response.headers)
}
