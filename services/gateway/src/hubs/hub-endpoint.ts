import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { limitKeyOfIpAddress } from '@capstan/contract/addresses'
import { deskNews, type HubRoomSize, ownTeamNews, type RealtimeMessage } from '@capstan/contract/events'
import type { SessionQuestion } from '@capstan/contract/gateway-backend'
import { negotiateLanguage } from '@capstan/contract/languages'
import { GatewayBounds, WebSocketLimits } from '@capstan/contract/limits'
import { problemTitle } from '@capstan/contract/server-texts'
import { Guard } from '@capstan/http/guard'
import { WebSocketServer } from 'ws'
import type { Backend } from '../backend.ts'
import { type HubName, readQueryParameter } from '../http/address.ts'
import { type Answer, createJsonResponse, createProblemHttpResponse, refuseUpgrade } from '../http/answers.ts'
import { isOwnOrigin } from '../http/origin.ts'
import type { ReadSession } from '../http/session-reader.ts'
import type { Attempts } from '../limits/attempts.ts'
import { type HubBound, type HubSeat, HubSeats } from '../limits/hub-seats.ts'
import type { GatewayLimitSettings } from '../limits/settings.ts'
import type { GatewayLogger } from '../log.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { type Admission, type HubRequest, parseGameId, requestAdmission } from './admission.ts'
import { createConnectionTokens } from './connection-token.ts'
import { Fanout } from './fanout.ts'
import { HubConnection, type HubTimings } from './hub-connection.ts'
import { type Audience, type Room, Rooms } from './rooms.ts'

export type HubEndpointOptions = Readonly<{
  backend: Pick<Backend, 'session' | 'gameExists'>
  /** Secret that every replica needs to verify tokens. */
  secret: string
  publicOrigin: string | undefined
  readSession: ReadSession
  maxWaitingBytes: number
  clientAddress: (request: IncomingMessage) => string
  limits: GatewayLimitSettings
  attempts: Attempts
  /** True once the gateway is stopping. Requests that are still pending are then refused. */
  isShuttingDown: () => boolean
  timings: HubTimings &
    Readonly<{
      tokenMs: number
      /**
       * Interval at which clients with a session are checked again, in ms. The check is needed because a message about an ended
       * session may be lost.
       */
      recheckMs: number
    }>
  now: () => number
  metrics: GatewayMetrics
  log: GatewayLogger
}>

interface Client {
  readonly connection: HubConnection
  readonly request: HubRequest
  readonly seat: HubSeat
  /** Audience to which the client belongs because it requested additional messages (`ownTeamNews` or `deskNews`). */
  readonly audience: Audience | undefined
  room?: Room
  audienceRoom?: Room
  userId?: string | undefined
  /** True if a session ended during the api's check of this client. The gateway then repeats the check. */
  isOutdated: boolean
}

/** Serves the three SignalR hubs (docs/contract/live-hubs.md#hubs): negotiation, connections, roles, rooms. */
export class HubEndpoint {
  readonly #options: HubEndpointOptions
  readonly #tokens
  readonly #rooms = new Rooms()
  readonly #fanout: Fanout
  readonly #clients = new Map<HubConnection, Client>()
  readonly #seats: HubSeats
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: GatewayBounds.maxHubFrameBytes,
    ...WebSocketLimits,
  })
  readonly #timers: NodeJS.Timeout[]

  constructor(options: HubEndpointOptions) {
    const { metrics, timings, now } = options
    this.#options = options
    this.#seats = new HubSeats(options.limits)
    this.#tokens = createConnectionTokens(options.secret, timings.tokenMs)
    this.#fanout = new Fanout({
      rooms: this.#rooms,
      maxWaitingBytes: options.maxWaitingBytes,
      now,
      onSent: (hub, count) => metrics.hubMessages.inc({ hub }, count),
      onSlowReader: (hub) => metrics.slowReaders.inc({ hub }),
    })
    new Guard(options.log).on(this.#server, 'wsClientError', (_error: Error, socket: Duplex, request: IncomingMessage) => {
      refuseUpgrade(socket, createProblemHttpResponse('request.invalid', request, { 'sec-websocket-version': '13' }))
    })
    this.#timers = [
      setInterval(() => this.#sweep(), timings.sweepMs),
      setInterval(() => void this.#recheckAll(), timings.recheckMs),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** Responds to `POST {hub}/negotiate`. */
  async negotiate(hub: HubName, request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'POST') return createProblemHttpResponse('route.method', request, { allow: 'POST' })
    const refusal = await this.#refuseAttempt('negotiate', request)
    if (refusal) return refusal
    const connectionToken = this.#tokens.issue(hub, this.#options.now())
    const version = Number(readQueryParameter(request.url ?? '', 'negotiateversion') ?? 0)
    const availableTransports = [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }]
    // In version 0 of the negotiation, the client connects with the connection id instead of a token.
    return version >= 1
      ? createJsonResponse(200, { negotiateVersion: 1, connectionId: randomUUID(), connectionToken, availableTransports })
      : createJsonResponse(200, { negotiateVersion: 0, connectionId: connectionToken, availableTransports })
  }

  async upgrade(hub: HubName, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { publicOrigin, readSession, now, log } = this.#options
    const { origin, host } = request.headers
    const session = readSession(request, hub === 'monitor')
    const url = request.url ?? ''
    const token = readQueryParameter(url, 'id')
    if (!isOwnOrigin(origin, host, publicOrigin)) {
      refuseUpgrade(socket, createProblemHttpResponse('request.origin', request))
      return
    }
    if (token !== undefined && !this.#tokens.isValid(token, hub, now())) {
      refuseUpgrade(socket, createProblemHttpResponse('route.not-found', request))
      return
    }
    const refusal = await this.#refuseAttempt('connect', request)
    if (refusal) {
      refuseUpgrade(socket, refusal)
      return
    }
    const seat = this.#seats.enter(this.#options.clientAddress(request))
    if (typeof seat === 'string') {
      this.#refuseSocket(socket, request, seat)
      return
    }
    const userId = await this.#identify(session)
    const bound = seat.assignUser(userId)
    if (bound || this.#options.isShuttingDown()) {
      seat.leave()
      if (bound) this.#refuseSocket(socket, request, bound)
      else refuseUpgrade(socket, createProblemHttpResponse('server.unavailable', request))
      return
    }
    const hubRequest: HubRequest = {
      hub,
      gameId: parseGameId(hub, readQueryParameter(url, 'game')),
      session,
      language: negotiateLanguage(request.headers['accept-language']),
    }
    const audience = findAudience(hub, url, userId)
    const guard = new Guard(log, socket)
    let isUpgraded = false
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      isUpgraded = true
      const events = {
        handshake: (connection: HubConnection) => guard.run(() => this.#admit(connection)),
        answered: (connection: HubConnection) => guard.run(() => this.#fanout.dropIfSlow(hub, connection)),
        flooded: () => this.#options.metrics.refusals.inc({ limit: 'hub-traffic' }),
        closed: (connection: HubConnection) => this.#remove(connection),
      }
      const connection = new HubConnection(webSocket, socket, events, now, log)
      // A stopping web process ends only its sending side. `ws` reacts by ending both sides, so send the close message first.
      guard.prependOnce(socket, 'end', () => connection.close({ allowReconnect: true }))
      this.#clients.set(connection, { connection, request: hubRequest, seat, audience, isOutdated: false })
      this.#options.metrics.hubClients.inc({ hub })
    })
    // Stop counting the socket if the request was not a valid WebSocket handshake, or if its client has disconnected.
    if (!isUpgraded) seat.leave()
  }

  /**
   * Forwards a message to its recipients. A message about an ended session is not forwarded, but starts a new check of the user's
   * clients.
   */
  receive(message: RealtimeMessage): void {
    if (message.kind === 'sessions-ended') this.#sessionsEnded(message.userId)
    else if (message.kind === 'team-instances') this.#notifyTeam(message)
    else if (message.kind === 'ticket') {
      this.#notifyTeam(message)
      this.#notify(deskNews.hub, message.gameId, deskNews.target, ['desk'])
    } else this.#fanout.send(message)
  }

  #notifyTeam({ kind, gameId, userIds }: Extract<RealtimeMessage, { kind: keyof typeof ownTeamNews.targets }>): void {
    const audiences = [...new Set(userIds)].map((userId): Audience => `member/${userId}`)
    this.#notify(ownTeamNews.hub, gameId, ownTeamNews.targets[kind], audiences)
  }

  /** Sends the id of a game to some audiences of the game. */
  #notify(hub: HubName, gameId: number, target: string, audiences: readonly Audience[]): void {
    const recipients = audiences.flatMap((audience) => [...(this.#rooms.find(hub, gameId, audience)?.members ?? [])])
    if (recipients.length > 0) this.#fanout.sendTo(hub, recipients, target, gameId)
  }

  get clientCount(): number {
    return this.#clients.size
  }

  get roomSizes(): HubRoomSize[] {
    return this.#rooms.sizes()
  }

  /**
   * Asks every client to reconnect, so that the client refetches data or finds another replica. These requests are
   * spread over `spreadMs`.
   */
  async recycle(spreadMs: number): Promise<void> {
    const clients = [...this.#clients.keys()]
    const steps = Math.max(1, Math.min(clients.length, Math.ceil(spreadMs / 50)))
    for (let step = 0; step < steps; step += 1) {
      if (step > 0) await new Promise((resolve) => setTimeout(resolve, spreadMs / steps))
      for (let index = step; index < clients.length; index += steps) clients[index]?.close({ allowReconnect: true })
    }
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    for (const connection of this.#clients.keys()) connection.drop()
  }

  /** Counts an attempt of the client's address. @returns the response if the attempt is refused */
  async #refuseAttempt(kind: 'negotiate' | 'connect', request: IncomingMessage): Promise<Answer | undefined> {
    const key = `hub-${kind}:${limitKeyOfIpAddress(this.#options.clientAddress(request))}`
    const seconds = await this.#options.attempts.refuse(key, this.#options.limits.hubAttemptsPerAddressMinute)
    if (seconds === undefined) return undefined
    this.#options.metrics.refusals.inc({ limit: 'hub-attempts' })
    return createProblemHttpResponse('request.rate-limited', request, { 'retry-after': String(seconds) })
  }

  #refuseSocket(socket: Duplex, request: IncomingMessage, limit: HubBound): void {
    this.#options.metrics.refusals.inc({ limit })
    const headers = { 'retry-after': String(GatewayBounds.retryAfterSeconds) }
    refuseUpgrade(socket, createProblemHttpResponse('request.rate-limited', request, headers))
  }

  /**
   * Returns the user of a session. The socket counts toward the limit of this user.
   * @returns undefined if the user is unknown. The socket then counts toward the limit of the client address
   */
  async #identify(session: SessionQuestion | undefined): Promise<string | undefined> {
    if (session === undefined) return undefined
    try {
      return (await this.#options.backend.session(session))?.userId
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not find the user of a hub socket')
      return undefined
    }
  }

  /** Asks the api whether a client may connect. Then the gateway admits the client or closes the connection. */
  async #admit(connection: HubConnection): Promise<void> {
    const client = this.#clients.get(connection)
    if (client === undefined) return
    const admission = await this.#ask(client)
    if (!this.#clients.has(connection)) return
    if (admission?.isAllowed) {
      client.userId = admission.userId
      client.seat.finish()
      const { hub, gameId } = client.request
      client.room = this.#rooms.join(connection, hub, gameId)
      if (client.audience) client.audienceRoom = this.#rooms.join(connection, hub, gameId, client.audience)
      connection.open()
      return
    }
    connection.open()
    const error = problemTitle(admission?.code ?? 'server.unavailable', client.request.language)
    connection.close(admission ? { error } : { error, allowReconnect: true })
  }

  /**
   * Asks the api whether a client is allowed. Asks again if any session ended during the call, because the result may then be
   * stale.
   * @returns undefined if the api does not respond
   */
  async #ask(client: Client): Promise<Admission | undefined> {
    try {
      let admission: Admission
      do {
        client.isOutdated = false
        admission = await requestAdmission(client.request, this.#options.backend)
      } while (client.isOutdated)
      return admission
    } catch (error) {
      this.#options.log.warn({ err: error, hub: client.request.hub }, 'Could not check whether a client may listen')
      return undefined
    }
  }

  #sessionsEnded(userId: string): void {
    for (const client of this.#clients.values()) {
      if (client.room === undefined) client.isOutdated = true
      else if (client.userId === userId) void this.#recheck(client, 'close')
      // A client of the public hub may remain connected without a session, but must receive no more team messages. Ask
      // the client to reconnect with its current session.
      else if (client.audience === `member/${userId}`) client.connection.close({ allowReconnect: true })
    }
  }

  async #recheckAll(): Promise<void> {
    const withSession = [...this.#clients.values()].filter((client) => client.userId !== undefined)
    for (const client of withSession) await this.#recheck(client, 'keep')
  }

  /**
   * Checks the permission of a client again, and closes the connection if the client lost the permission. `ifUnknown`
   * says what to do if the api does not respond.
   */
  async #recheck(client: Client, ifUnknown: 'keep' | 'close'): Promise<void> {
    const admission = await this.#ask(client)
    if (admission?.isAllowed) return
    if (admission) client.connection.close({ error: problemTitle(admission.code, client.request.language) })
    else if (ifUnknown === 'close') client.connection.close({ allowReconnect: true })
  }

  #remove(connection: HubConnection): void {
    const client = this.#clients.get(connection)
    if (client === undefined) return
    this.#clients.delete(connection)
    client.seat.leave()
    if (client.room) this.#rooms.leave(client.room, connection)
    if (client.audienceRoom) this.#rooms.leave(client.audienceRoom, connection)
    this.#options.metrics.hubClients.dec({ hub: client.request.hub })
  }

  #sweep(): void {
    const now = this.#options.now()
    for (const connection of this.#clients.keys()) connection.tick(now, this.#options.timings)
  }
}

/** Returns the audience of a client according to the query of its URL. */
function findAudience(hub: HubName, url: string, userId: string | undefined): Audience | undefined {
  const isRequested = (query: string) => readQueryParameter(url, query) === 'true'
  if (hub === deskNews.hub && isRequested(deskNews.query)) return 'desk'
  return hub === ownTeamNews.hub && userId !== undefined && isRequested(ownTeamNews.query) ? `member/${userId}` : undefined
}

/** Returns the response to a request that has the address of a hub but does not open a WebSocket. */
export function createUpgradeRequiredResponse(request: IncomingMessage): Answer {
  return createProblemHttpResponse('request.invalid', request, { upgrade: 'websocket' })
}
