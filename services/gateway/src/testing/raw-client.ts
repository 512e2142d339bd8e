import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type NetConnectOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'

/** A bare WebSocket that remembers what came. */
export interface RawClient {
  readonly socket: WebSocket
  /** Text of all frames so far. */
  readonly text: () => string
  /** Binary frames so far. */
  readonly frames: Buffer[]
  /** Resolves with the status code of the close; 1005 stands for none, 1006 for an end without a close frame. */
  readonly closed: Promise<number>
  /** Ends this side of the connection alone, as a proxy does that leaves. */
  readonly endOwnSide: () => void
}

/** Connects, or rejects with the refused answer as `RefusedUpgrade`. */
export async function connectRaw(url: string, headers: Record<string, string> = {}): Promise<RawClient> {
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

/** What was answered instead of the upgrade. */
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

/** Connects where a refusal is expected. */
export async function refusalOf(url: string, headers: Record<string, string> = {}): Promise<RefusedUpgrade> {
  try {
    const { socket } = await connectRaw(url, headers)
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
