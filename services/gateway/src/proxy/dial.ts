import { connect, type Socket } from 'node:net'

export interface DialTarget {
  readonly host: string
  readonly port: number
}

/** Knows nothing of the dialling, which would be kept as long as the connection. */
const ignore = (): void => {}

/** Opens a TCP connection with `allowHalfOpen`. Undefined: refused, unreachable or not open within `timeoutMs`. */
export function dial(target: DialTarget, timeoutMs: number): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>()
  const socket = connect({
    host: target.host,
    port: target.port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  })
  const timer = setTimeout(giveUp, timeoutMs)
  function giveUp(): void {
    clearTimeout(timer)
    socket.destroy()
    resolve(undefined)
  }
  socket.once('error', giveUp)
  socket.once('connect', () => {
    clearTimeout(timer)
    socket.off('error', giveUp)
    // Until the caller adds its own listener: without any listener an error would end the process. `close` follows each error.
    socket.on('error', ignore)
    resolve(socket)
  })
  return promise
}
