import type { LogEntry } from '@capstan/contract/admin'
import { deskNews, hubs, ownTeamNews } from '@capstan/contract/events'
import type { GameEvent, GameNotice } from '@capstan/contract/games'
import type { Submission } from '@capstan/contract/submissions'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { waitForIdle } from './when-idle.ts'

export type HubName = keyof typeof hubs

interface Payloads {
  notice: GameNotice
  event: GameEvent
  submission: Submission
  log: LogEntry
  /** Sent when the instances of the user's team have changed. */
  teamInstances: number
  /** Sent when a ticket of the user's team has changed. */
  teamTickets: number
  /** Sent to organizers when a ticket has changed. */
  tickets: number
}

const targets = {
  ...{ user: hubs.user.targets, monitor: hubs.monitor.targets, admin: hubs.admin.targets },
  [ownTeamNews.hub]: {
    ...hubs[ownTeamNews.hub].targets,
    teamInstances: ownTeamNews.targets['team-instances'],
    teamTickets: ownTeamNews.targets.ticket,
  },
  [deskNews.hub]: { ...hubs[deskNews.hub].targets, tickets: deskNews.target },
} as const

/** Messages of a hub with their kinds (contract `events.ts`). */
export type HubHandlers<Hub extends HubName> = {
  readonly [Kind in keyof (typeof targets)[Hub] & keyof Payloads]?: (payload: Payloads[Kind]) => void
} & {
  /** Handler that is called when the connection is open again after an interruption. It must read missed data over HTTP. */
  readonly reconnected?: () => void
}

/**
 * State of a hub connection. `polling` means that there is no connection and pages rely on refresh rules. `idle` means that there
 * are no listeners.
 */
export type ConnectionState = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'polling'

/** Part of the SignalR connection interface that this module uses. */
export interface HubConnection {
  start(): Promise<void>
  stop(): Promise<void>
  on(target: string, handler: (payload: never) => void): void
  onreconnecting(handler: () => void): void
  onreconnected(handler: () => void): void
  onclose(handler: () => void): void
}

type Connect = (address: string) => Promise<HubConnection>

/** Delay before a refused or ended connection is retried, in ms. */
const retryMs = 5_000

type Listener = Readonly<{ target: string; handle: (payload: never) => void }> | { readonly reconnected: () => void }

/** Connection to an address. All listeners share the connection. It opens with the first listener and closes with the last one. */
class Channel {
  readonly #address: string
  readonly #connect: Connect
  readonly #changed: () => void
  readonly #listeners = new Set<Listener>()
  readonly #targets = new Set<string>()
  #connection: HubConnection | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #closed = false
  state: ConnectionState = 'connecting'

  constructor(address: string, connect: Connect, changed: () => void) {
    this.#address = address
    this.#connect = connect
    this.#changed = changed
    void this.#open(false)
  }

  get isUnused(): boolean {
    return this.#listeners.size === 0
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener)
    if ('target' in listener) this.#subscribe(listener.target)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    void this.#connection?.stop()
  }

  #subscribe(target: string): void {
    if (!this.#connection || this.#targets.has(target)) return
    this.#targets.add(target)
    this.#connection.on(target, (payload) => {
      for (const listener of this.#listeners) if ('target' in listener && listener.target === target) listener.handle(payload)
    })
  }

  #enter(state: ConnectionState): void {
    this.state = state
    this.#changed()
  }

  #recovered(): void {
    this.#enter('live')
    for (const listener of this.#listeners) if ('reconnected' in listener) listener.reconnected()
  }

  async #open(again: boolean): Promise<void> {
    try {
      const connection = await this.#connect(this.#address)
      if (this.#closed) return
      this.#connection = connection
      this.#targets.clear()
      for (const listener of this.#listeners) if ('target' in listener) this.#subscribe(listener.target)
      connection.onreconnecting(() => this.#enter('reconnecting'))
      connection.onreconnected(() => this.#recovered())
      connection.onclose(() => this.#later())
      await connection.start()
      if (this.#closed) return await connection.stop()
      if (again) this.#recovered()
      else this.#enter('live')
    } catch {
      this.#later()
    }
  }

  #later(): void {
    if (this.#closed) return
    this.#enter('polling')
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#open(true), retryMs)
  }
}

/** Manages the hub connections of a page. `connect` opens a transport to a hub address. */
export function createHubConnections(connect: Connect) {
  const channels = new Map<string, Channel>()
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  return {
    listen(address: string, listener: Listener): () => void {
      const channel = channels.get(address) ?? new Channel(address, connect, changed)
      channels.set(address, channel)
      const remove = channel.add(listener)
      return () => {
        remove()
        // Close the connection in the next task, because a component that mounts before that task can reuse the connection.
        setTimeout(() => {
          if (!channel.isUnused || channels.get(address) !== channel) return
          channels.delete(address)
          channel.close()
          changed()
        }, 0)
      }
    },
    state: (address: string | undefined): ConnectionState => {
      if (address !== undefined) return channels.get(address)?.state ?? 'idle'
      const states = [...channels.values()].map((channel) => channel.state)
      return states.find((state) => state !== 'live') ?? states[0] ?? 'idle'
    },
    watch: (watcher: () => void) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

/**
 * Returns the delay before a reconnect, in ms. The first retry is immediate. Later retries follow every two to four seconds without
 * limit, so that players reconnect soon, but at different times.
 */
function reconnectDelayMs(triesBefore: number): number {
  return triesBefore === 0 ? 0 : 2000 + Math.random() * 2000
}

/** Timeout of a handshake, in ms. A server that stops during the handshake never responds, and the library would wait 100 s. */
const negotiateTimeoutMs = 10_000

/** Creates a connection. Loads the client library first, when the browser is idle. */
const connectSignalR: Connect = async (address) => {
  await waitForIdle()
  const { HubConnectionBuilder, LogLevel } = await import('@microsoft/signalr')
  return new HubConnectionBuilder()
    .withUrl(address, { timeout: negotiateTimeoutMs })
    .withAutomaticReconnect({
      nextRetryDelayInMilliseconds: ({ previousRetryCount }) => reconnectDelayMs(previousRetryCount),
    })
    .configureLogging(LogLevel.None)
    .build()
}

const live = createHubConnections(connectSignalR)

/**
 * Returns the address of a hub.
 * @returns undefined if the hub needs a game id that is not known yet
 */
export function addressOfHub(hub: HubName, gameId: number | undefined): string | undefined {
  const { path, needsGame } = hubs[hub]
  if (!needsGame) return path
  const queries: Readonly<Partial<Record<HubName, string>>> = {
    [ownTeamNews.hub]: ownTeamNews.query,
    [deskNews.hub]: deskNews.query,
  }
  const news = queries[hub] ? `&${queries[hub]}=true` : ''
  return gameId === undefined ? undefined : `${path}?game=${gameId}${news}`
}

/**
 * Listens to a hub while the component is mounted and `enabled` is true. The handlers may change between renders. Messages may be
 * lost, so pages must not depend on them. A handler only makes `useCall` read sooner.
 * @returns the state of the connection
 */
export function useHub<Hub extends HubName>(
  hub: Hub,
  gameId: number | undefined,
  handlers: HubHandlers<Hub>,
  enabled = true,
): ConnectionState {
  const current = useRef(handlers)
  current.current = handlers
  const address = enabled ? addressOfHub(hub, gameId) : undefined
  useEffect(() => {
    if (!address) return
    const latest = () => current.current as Record<string, ((payload: never) => void) | undefined>
    const removers = Object.entries(targets[hub]).map(([kind, target]) =>
      live.listen(address, { target, handle: (payload) => latest()[kind]?.(payload) }),
    )
    removers.push(live.listen(address, { reconnected: () => current.current.reconnected?.() }))
    return () => {
      for (const remove of removers) remove()
    }
  }, [address, hub])
  return useSyncExternalStore(live.watch, () => (address ? live.state(address) : 'idle'))
}

/** Returns the worst state of all hub connections of the page. */
export function useWorstConnectionState(): ConnectionState {
  return useSyncExternalStore(live.watch, () => live.state(undefined))
}
