import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hopAttemptMs, hopConnectMs } from '@capstan/contract/limits'
import { Guard } from './guard.ts'
import { createReplicaLookup, type ReplicaLookup } from './replica-lookup.ts'

export interface HopAgentOptions extends Omit<AgentOptions, 'lookup'> {
  readonly connectMs?: number
  readonly replicas?: ReplicaLookup
  /** Called for each connection that another replica has accepted, because the first one did not answer. */
  readonly onRetry?: () => void
}

/**
 * Connections to our other processes. One that does not answer is passed over, and its replicas are tried, before anything is sent. The
 * time limit begins when the addresses are known.
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
    const giveUp = () => socket.destroy(Object.assign(new Error('Nobody has answered at its address'), { code: 'ETIMEDOUT' }))
    const beginTimer = () => {
      timer ??= setTimeout(giveUp, this.#connectMs)
    }
    const passOver = (address: string) => {
      isRetried = true
      this.#replicas.avoid(address)
    }
    const guard = new Guard(undefined, socket)
    if (isIP(name)) beginTimer()
    else guard.on(socket, 'lookup', beginTimer)
    guard.on(socket, 'connectionAttemptFailed', passOver)
    guard.on(socket, 'connectionAttemptTimeout', passOver)
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
