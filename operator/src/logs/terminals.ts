import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { parseTerminalRequest, parseTerminalSize, terminalLimits } from '@capstan/challenge-instance/terminal-request'
import { decodeTerminalOutput, type Exec, encodeTerminalInput, encodeTerminalSize, endOfInput } from '@capstan/kubernetes/exec'
import type { Log } from '@capstan/kubernetes/log'
import { closeSocketAfterSending, createFrameSender } from '@capstan/kubernetes/sockets'
import { type WebSocket, WebSocketServer } from 'ws'
import type { TerminalSource } from './terminal-source.ts'

export const maxOpenTerminals = 16

/** Close reason of a terminal that ended normally. */
const normalEnd = 1000

function ignore() {}

type TerminalServerOptions = Readonly<{
  source: TerminalSource
  isAuthentic: (request: IncomingMessage) => boolean
  log: Pick<Log, 'warn'>
  /** Maximum time that a terminal remains open, in ms. */
  openMs?: number | undefined
}>

/**
 * Serves terminals as WebSockets at the operator's server. Their content is neither stored nor logged. See ADR 76.
 * @returns a function that ends all terminals
 */
export function serveTerminals(server: Server, options: TerminalServerOptions): () => void {
  const { source, isAuthentic, log, openMs = terminalLimits.openMinutes * 60_000 } = options
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: terminalLimits.messageBytes,
    ...terminalLimits.parts,
    perMessageDeflate: false,
    clientTracking: false,
  })
  /** Connections of terminals that are open or being opened. */
  const open = new Set<Duplex>()

  async function serve(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (!isAuthentic(request)) return refuse(socket, 401)
    const address = request.method === 'GET' ? parseTerminalRequest(request.url ?? '') : undefined
    const start = address === undefined ? 404 : source.find(address)
    if (typeof start === 'number') return refuse(socket, start)
    if (open.size >= maxOpenTerminals) return refuse(socket, 429)
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    let exec: Exec
    try {
      exec = await start()
    } catch (error) {
      log.warn({ err: error, ...address }, 'Could not open a terminal in a container')
      return refuse(socket, 502)
    }
    if (socket.destroyed) return leave(exec.socket)
    socket.once('close', () => leave(exec.socket))
    sockets.handleUpgrade(request, socket, head, (client) => join(client, exec))
  }

  function join(client: WebSocket, { socket: terminal, follow }: Exec): void {
    client.on('error', ignore)
    const toTerminal = createFrameSender(client, terminal, ({ data, isBinary }) => {
      if (isBinary) return encodeTerminalInput(data)
      const size = parseTerminalSize(data.toString())
      return size && encodeTerminalSize(size)
    })
    const toClient = createFrameSender(terminal, client, (frame) => {
      const data = decodeTerminalOutput(frame)
      return data && { data, isBinary: true }
    })
    client.on('message', toTerminal)
    const timer = setTimeout(() => leave(terminal), openMs)
    terminal.once('close', () => {
      clearTimeout(timer)
      closeSocketAfterSending(client, normalEnd)
    })
    follow(toClient)
    if (terminal.readyState !== terminal.OPEN) closeSocketAfterSending(client, normalEnd)
  }

  server.on('connection', (socket) => socket.on('error', ignore))
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    serve(request, socket, head).catch((error: unknown) => {
      log.warn({ err: error }, 'A terminal failed')
      socket.destroy()
    })
  })
  return () => {
    for (const socket of open) socket.destroy()
  }
}

/** Ends a terminal by ending the input of its shell. The API server does not stop a command when its connection ends. */
function leave(terminal: WebSocket): void {
  if (terminal.readyState === terminal.OPEN) terminal.send(encodeTerminalInput(endOfInput).data)
  closeSocketAfterSending(terminal, normalEnd)
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}
