import { setTimeout as delay } from 'node:timers/promises'
import { limitKeyOfIpAddress } from '@capstan/contract/addresses'
import { liveCheckGameId } from '@capstan/contract/events'
import type { GatewayBackend, ProxyTarget, SessionIdentity } from '@capstan/contract/gateway-backend'
import { Problem } from '@capstan/contract/problems'
import { parseInstanceName, reachOfPort, targetOfFirstPlainPort } from '@capstan/contract/reach'
import type { FastifyInstance } from 'fastify'
import { isHttpsSite, readSessionToken } from '../../server/sessions/session-cookie.ts'
import { readApiTokenOfRequest } from '../../server/tokens/bearer.ts'
import { currentAddressesOf, isAddressInDoubt } from '../lifecycle/address.ts'
import { listPublishedPorts } from '../lifecycle/reach.ts'
import { type FurtherPlaces, type FurtherPorts, keyOfContainerPort } from '../lifecycle/runtime.ts'
import { createInternalRepository } from './repository.ts'

/**
 * Maximum number of attempts to find the address of an instance. The row and the runtime may briefly disagree about the address.
 * In this case, row and runtime are read again before the connection is refused.
 */
const maxAttempts = 5
const retryMs = 100

/** Client address that is stored for a user who has never connected. */
const unseenAddress = '0.0.0.0'

/** Network location of an instance. */
type Location = Readonly<{
  target: ProxyTarget
  furtherPorts?: FurtherPorts | null
  /** Current addresses of the ports of additional containers. */
  furtherPlaces?: FurtherPlaces
}>

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

/**
 * Answers the queries of a gateway. A gateway in another process sends its queries over HTTP (`routes.ts`). A gateway in the same
 * process calls the functions directly.
 */
export function createGatewayBackend(app: Pick<FastifyInstance, 'deps' | 'sessions' | 'tokens' | 'parseCookie'>): GatewayBackend {
  const { config, db, runtime, clock } = app.deps
  const repository = createInternalRepository(db)
  const identifyToken = async (bearer: string): Promise<SessionIdentity> => {
    try {
      const { id, token } = await app.tokens.authenticate(bearer)
      return { userId: id, role: 'Monitor', ...(token.gameId !== null && { gameId: token.gameId }) }
    } catch (error) {
      if (error instanceof Problem) return null
      throw error
    }
  }

  /**
   * Returns the location of an instance. `isInDoubt` is true if row and runtime have different addresses for the port.
   * @param wanted port of an additional container; if absent, the entry port
   */
  const readLocation = async (instanceId: string, wanted?: string): Promise<Location & { readonly isInDoubt?: boolean }> => {
    const instance = isUuid(instanceId) ? await repository.findLiveInstance(instanceId, clock.now()) : undefined
    const observed = runtime.find(instanceId)
    // The exposure (`Proxy` or `Direct`) of an instance never changes, even if the platform setting changes.
    if ((instance?.exposure ?? observed?.exposure ?? runtime.exposure) === 'Direct') return { target: { state: 'proxy-off' } }
    if (!instance) return { target: { state: 'unknown' } }
    const kind = instance.participationId === null ? 'test' : 'team'
    if (instance.host === null || instance.port === null) return { target: { state: 'unreachable', kind } }
    const { entry, furtherPlaces } = currentAddressesOf(instance, observed?.state)
    const isInDoubt = isAddressInDoubt(instance, observed?.state, wanted)
    if (!entry) return { target: { state: 'unreachable', kind }, furtherPlaces, isInDoubt }
    const further = Object.values(furtherPlaces)
    const target = { state: 'ready', ...entry, kind, ...(further.length > 0 && { further }) } as const
    return { target, furtherPorts: instance.furtherPorts, furtherPlaces, isInDoubt }
  }

  const locate = async (instanceId: string, wanted?: string): Promise<Location> => {
    for (let attempt = 1; ; attempt += 1) {
      const { isInDoubt, ...location } = await readLocation(instanceId, wanted)
      if (!isInDoubt || attempt === maxAttempts) return location
      await delay(retryMs)
    }
  }

  const listPlayerAddresses = async (instanceId: string): Promise<string[]> => {
    const addresses = await repository.listPlayerAddresses(instanceId)
    return [...new Set(addresses.map(limitKeyOfIpAddress))].filter((key) => key !== unseenAddress && key !== 'unknown')
  }

  return {
    async session({ cookie, protocol, authorization }) {
      const token = readSessionToken(app.parseCookie(cookie), isHttpsSite(config.publicOrigin, protocol))
      const bearer = readApiTokenOfRequest(authorization)
      if (bearer !== undefined) return token ? null : identifyToken(bearer)
      const user = token ? await app.sessions.find(token) : undefined
      return user ? { userId: user.id, role: user.role } : null
    },
    gameExists: async (gameId) => gameId === liveCheckGameId || (await repository.gameExists(gameId)),
    proxyTarget: async (instanceId) => (await locate(instanceId)).target,
    async route(route) {
      const name = 'label' in route ? parseInstanceName(route.label) : undefined
      if ('label' in route && name === undefined) return { state: 'unknown' }
      const behind = await repository.findBehind(name ?? route)
      if (!behind) return { state: 'unknown' }
      const { id, endedAt, expiresAt, isGuarded, key, container, furtherContainers, furtherPort, ...spoken } = behind
      if (endedAt !== null || expiresAt <= clock.now()) return 'label' in route ? { state: 'ended' } : { state: 'unknown' }
      const published = listPublishedPorts({ container, furtherContainers })
      const asked = name === undefined ? (furtherPort ?? targetOfFirstPlainPort({ ...spoken, isGuarded }, published)) : name.port
      const further = published.find((each) => each.port === asked)
      if (asked !== undefined && further === undefined) return { state: 'unknown' }
      const wanted = further?.container === undefined ? undefined : keyOfContainerPort(further.container, further.port)
      const { target, furtherPorts, furtherPlaces = {} } = await locate(id, wanted)
      if (target.state === 'proxy-off') return { state: 'unknown' }
      if (target.state === 'unknown') return { state: 'starting' }
      const entry = target.state === 'ready' ? target : undefined
      const place = wanted === undefined ? entry : furtherPlaces[wanted]
      if (place === undefined) return { state: 'starting' }
      const { kind } = target
      const { host, port } = place
      const playerAddresses = 'label' in route ? undefined : await listPlayerAddresses(id)
      const said = {
        ...({ state: 'ready', host, port, kind } as const),
        ...spoken,
        instanceId: id,
        ...(isGuarded && { key }),
        ...(playerAddresses && { playerAddresses }),
      }
      if (further === undefined) return said
      const found = { ...said, ...reachOfPort(further), furtherPort: further.port }
      if (wanted !== undefined) return found
      const portOfHost = furtherPorts ? furtherPorts[further.port] : further.port
      return portOfHost === undefined ? { state: 'unknown' } : { ...found, port: portOfHost, entryPort: port }
    },
    async reportConnections(reports) {
      if (reports.length > 0) await repository.upsertConnections(reports)
    },
  }
}
