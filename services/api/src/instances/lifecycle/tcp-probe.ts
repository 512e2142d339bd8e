import { connect } from 'node:net'

/**
 * Returns true if a program accepts connections there.
 * @param holdMs time that the connection must stay open or bring data. A port forwarder accepts by itself and hangs up if no
 *   program listens behind it
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
