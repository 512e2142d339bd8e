import { createServer, type Server, type Socket } from 'node:net'
import type { ProxyTarget } from '@capstan/contract/gateway-backend'

export type TcpServer = Readonly<{
  port: number
  target: (kind?: 'team' | 'test') => ProxyTarget
  /** All connections so far, including closed ones. */
  sockets: Socket[]
  /** Changes how the server handles new connections, as if another container had got the address. */
  serve(serve: (socket: Socket) => void): void
  close(): Promise<void>
}>

/**
 * Starts a TCP server as a fake container. If the client closes its sending direction, the container can still send, as in most C
 * programs.
 */
export async function startTcpServer(serveFirst: (socket: Socket) => void): Promise<TcpServer> {
  let serve = serveFirst
  const sockets: Socket[] = []
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The system assigned no port')
  const { port } = address
  return {
    port,
    sockets,
    serve(next) {
      serve = next
    },
    target: (kind = 'team') => ({ state: 'ready', host: '127.0.0.1', port, kind }),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
