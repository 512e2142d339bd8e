import { connect } from 'node:net'

/**
 * Whether something accepts connections there.
 * @param holdMs the connection must stay open this long, or bring data: a port forwarder accepts by itself and hangs up when
 *   nobody listens behind it
 */
export function acceptsConnections(host: string, port: number, holdMs = 0): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    let timer = setTimeout(() => end(false), 1_000)
    const end = (isOpen: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => {
      clearTimeout(timer)
      timer = setTimeout(() => end(true), holdMs)
    })
    socket.once('data', () => end(true))
    socket.once('error', () => end(false))
    socket.once('end', () => end(false))
    socket.once('close', () => end(false))
  })
}
