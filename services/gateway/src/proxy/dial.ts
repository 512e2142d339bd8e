import { connect, type Socket } from 'node:net'
import { Guard, ignoreSocketErrors } from '@capstan/http/guard'

export type DialTarget = Readonly<{
  host: string
  port: number
}>

/**
 * Opens a TCP connection with `allowHalfOpen`.
 * @returns undefined if the connection was refused or is not open within `timeoutMs`
 */
export function openTcpConnection(target: DialTarget, timeoutMs: number): Promise<Socket | undefined> {
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
  ignoreSocketErrors(socket)
  const guard = new Guard(undefined, socket)
  guard.once(socket, 'close', giveUp)
  guard.once(socket, 'connect', () => {
    clearTimeout(timer)
    // Remove the listener, which would otherwise keep the variables of this function in memory for the life of the connection.
    socket.off('close', giveUp)
    resolve(socket)
  })
  return promise
}

/**
 * Waits until the other side of a new connection sends something or closes the connection, but at most `settleMs`. Leaves received
 * bytes unread.
 * @returns false if the other side closed the connection without sending anything
 */
export async function staysOpen(socket: Socket, settleMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, settleMs, true)
  // Node also emits `readable` when the other side ends the connection.
  const check = () => resolve(socket.bytesRead > 0)
  const guard = new Guard(undefined, socket)
  for (const event of ['readable', 'close']) guard.once(socket, event, check)
  const isOpen = await promise
  clearTimeout(timer)
  for (const event of ['readable', 'close']) socket.off(event, check)
  return isOpen
}
