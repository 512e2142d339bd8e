import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import { hopConnectMs } from '@capstan/contract/limits'
import { Guard } from '@capstan/http/guard'

export interface HopAgentOptions extends AgentOptions {
  readonly connectMs?: number
}

/** Connections to our other processes, each of which is there soon or fails. */
export class HopAgent extends Agent {
  readonly #connectMs: number

  constructor({ connectMs = hopConnectMs, ...options }: HopAgentOptions = {}) {
    super(options)
    this.#connectMs = connectMs
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const socket = super.createConnection(options, callback)
    if (!socket) return socket
    const giveUp = () => socket.destroy(Object.assign(new Error('Nobody has answered at its address'), { code: 'ETIMEDOUT' }))
    const timer = setTimeout(giveUp, this.#connectMs)
    const guard = new Guard(undefined, socket)
    for (const event of ['connect', 'close']) guard.once(socket, event, () => clearTimeout(timer))
    return socket
  }
}
