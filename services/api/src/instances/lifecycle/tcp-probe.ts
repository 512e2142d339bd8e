import { connect } from 'node:net'

/**
 * @returns true if a program accepts connections at the address
 * @param holdMs time in ms for which the connection must stay open, unless data arrives before. A port forwarder accepts
 * connections itself, and closes them if no program listens.
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
