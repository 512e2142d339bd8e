import { connect } from 'node:net'

/**
 * @returns true if a program accepts connections at the address
 * @param holdMs time in ms for which the connection must remain open, unless data arrives earlier. This detects a port forwarder,
 * which accepts every connection, but closes it if no program listens behind it.
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
