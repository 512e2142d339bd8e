import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hopAttemptMs, hopConnectMs } from '@capstan/contract/limits'
import { Guard } from './guard.ts'
import { createReplicaLookup, type ReplicaLookup } from './replica-lookup.ts'

export type HopAgentOptions = Omit<AgentOptions, 'lookup'> &
  Readonly<{
    connectMs?: number
    replicas?: ReplicaLookup
    /** Called each time the connection to a replica failed and another replica accepted a connection for the same call. */
    onRetry?: () => void
  }>

/**
 * Agent for calls to our other processes. If the connection to an address fails, the agent tries the other replicas before it
 * sends the call. The timeout starts only when the addresses are known.
 */
export class HopAgent extends Agent {
  readonly #connectMs: number
  readonly #replicas: ReplicaLookup
  readonly #onRetry: () => void

  constructor({
    connectMs = hopConnectMs,
    replicas = createReplicaLookup(),
    onRetry = () => {},
    ...options
  }: HopAgentOptions = {}) {
    const net = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: hopAttemptMs, lookup: replicas.lookup }
    super({ ...net, ...options })
    this.#connectMs = connectMs
    this.#replicas = replicas
    this.#onRetry = onRetry
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const socket = super.createConnection(options, callback) as Socket | null | undefined
    if (!socket) return socket
    const name = options.host ?? 'localhost'
    let timer: NodeJS.Timeout | undefined
    let isRetried = false
    const giveUp = () => socket.destroy(Object.assign(new Error('No address has answered in time'), { code: 'ETIMEDOUT' }))
    const beginTimer = () => {
      timer ??= setTimeout(giveUp, this.#connectMs)
    }
    const avoidAddress = (address: string) => {
      isRetried = true
      this.#replicas.avoid(address)
    }
    const guard = new Guard(undefined, socket)
    if (isIP(name)) beginTimer()
    else guard.on(socket, 'lookup', beginTimer)
    guard.on(socket, 'connectionAttemptFailed', avoidAddress)
    guard.on(socket, 'connectionAttemptTimeout', avoidAddress)
    guard.once(socket, 'connect', () => {
      clearTimeout(timer)
      if (isRetried) this.#onRetry()
    })
    guard.once(socket, 'close', () => clearTimeout(timer))
    guard.once(socket, 'error', () => {
      if (socket.connecting || socket.pending) this.#replicas.forget(name)
    })
    return socket
  }
}
