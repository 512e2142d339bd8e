import { connect, type Socket } from 'node:net'
import { Guard, surviveErrors } from '@capstan/http/guard'

export type DialTarget = Readonly<{
  host: string
  port: number
}>

/**
 * Opens a TCP connection with `allowHalfOpen`.
 * @returns undefined if it was refused, unreachable or not open within `timeoutMs`
 */
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
  surviveErrors(socket)
  const guard = new Guard(undefined, socket)
  guard.once(socket, 'close', giveUp)
  guard.once(socket, 'connect', () => {
    clearTimeout(timer)
    // Otherwise this listener would retain the dial state for the life of the connection.
    socket.off('close', giveUp)
    resolve(socket)
  })
  return promise
}
