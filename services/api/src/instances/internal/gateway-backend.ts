import { setTimeout as delay } from 'node:timers/promises'
import { addressLimitKey } from '@capstan/contract/addresses'
import { liveCheckGameId } from '@capstan/contract/events'
import type { GatewayBackend, ProxyTarget, SessionIdentity } from '@capstan/contract/gateway-backend'
import { Problem } from '@capstan/contract/problems'
import { plainPortTarget, reachOfPort, readInstanceName } from '@capstan/contract/reach'
import type { FastifyInstance } from 'fastify'
import { isHttpsSite, readSessionToken } from '../../server/sessions/session-cookie.ts'
import { readBearer } from '../../server/tokens/bearer.ts'
import { addressOf, isSameAddress } from '../lifecycle/runtime.ts'
import { internalRepository } from './repository.ts'

/** Where row and runtime disagree about an address one of both is behind, mostly for a moment: it is looked again before nobody gets there. */
const looksMax = 5
const lookAgainMs = 100

/** Of users who were never seen. */
const unseenAddress = '0.0.0.0'

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

/** Answers to what a gateway asks: over HTTP in `routes.ts`, by direct calls where both run in one process. */
export function createGatewayBackend(app: Pick<FastifyInstance, 'deps' | 'sessions' | 'tokens' | 'parseCookie'>): GatewayBackend {
  const { config, db, runtime, clock } = app.deps
  const repository = internalRepository(db)
  const identifyToken = async (bearer: string): Promise<SessionIdentity> => {
    try {
      const { id, token } = await app.tokens.authenticate(bearer)
      return { userId: id, role: 'Monitor', ...(token.gameId !== null && { gameId: token.gameId }) }
    } catch (error) {
      if (error instanceof Problem) return null
      throw error
    }
  }

  /** @returns `isInDoubt`: it has an address, and nobody knows which */
  const lookFor = async (instanceId: string): Promise<{ readonly target: ProxyTarget; readonly isInDoubt?: boolean }> => {
    const instance = isUuid(instanceId) ? await repository.findLiveInstance(instanceId, clock.now()) : undefined
    const seenNow = runtime.find(instanceId)
    // One that was made for the proxy stays behind it when the platform goes over to ports, and the other way round.
    if ((instance?.exposure ?? seenNow?.exposure ?? runtime.exposure) === 'Direct') return { target: { state: 'proxy-off' } }
    if (!instance) return { target: { state: 'unknown' } }
    const kind = instance.participationId === null ? 'test' : 'team'
    const { host, port } = instance
    // The row is what every process knows: none says that it is ready before all can.
    if (host === null || port === null) return { target: { state: 'unreachable', kind } }
    // Row and runtime disagree: either this process or that which wrote the row is behind, unless it has failed.
    if (seenNow && !isSameAddress({ host, port }, addressOf(seenNow.state)))
      return { target: { state: 'unreachable', kind }, isInDoubt: seenNow.state.kind !== 'failed' }
    return { target: { state: 'ready', host, port, kind } }
  }

  const proxyTarget = async (instanceId: string): Promise<ProxyTarget> => {
    for (let looks = 1; ; looks += 1) {
      const { target, isInDoubt } = await lookFor(instanceId)
      if (!isInDoubt || looks === looksMax) return target
      await delay(lookAgainMs)
    }
  }

  const listPlayerAddresses = async (instanceId: string): Promise<string[]> => {
    const addresses = await repository.listPlayerAddresses(instanceId)
    return [...new Set(addresses.map(addressLimitKey))].filter((key) => key !== unseenAddress && key !== 'unknown')
  }

  return {
    async session({ cookie, protocol, authorization }) {
      const token = readSessionToken(app.parseCookie(cookie), isHttpsSite(config.publicOrigin, protocol))
      const bearer = readBearer(authorization)
      if (bearer !== undefined) return token ? null : identifyToken(bearer)
      const user = token ? await app.sessions.find(token) : undefined
      return user ? { userId: user.id, role: user.role } : null
    },
    gameExists: async (gameId) => gameId === liveCheckGameId || (await repository.gameExists(gameId)),
    proxyTarget,
    async route(route) {
      const name = 'label' in route ? readInstanceName(route.label) : undefined
      if ('label' in route && name === undefined) return { state: 'unknown' }
      const behind = await repository.findBehind(name ?? route)
      if (!behind) return { state: 'unknown' }
      const { id, endedAt, expiresAt, isGuarded, key, container, furtherPort, ...spoken } = behind
      if (endedAt !== null || expiresAt <= clock.now()) return 'label' in route ? { state: 'ended' } : { state: 'unknown' }
      const target = await proxyTarget(id)
      if (target.state === 'proxy-off') return { state: 'unknown' }
      const { offeredPorts = [] } = container
      const asked = name === undefined ? (furtherPort ?? plainPortTarget({ ...spoken, isGuarded }, offeredPorts)) : name.port
      const further = offeredPorts.find((each) => each.port === asked)
      if (asked !== undefined && further === undefined) return { state: 'unknown' }
      if (target.state !== 'ready') return { state: 'starting' }
      const playerAddresses = 'label' in route ? undefined : await listPlayerAddresses(id)
      const said = {
        ...target,
        ...spoken,
        instanceId: id,
        ...(isGuarded && { key }),
        ...(playerAddresses && { playerAddresses }),
      }
      if (further === undefined) return said
      const observed = runtime.find(id)?.state
      const places = observed?.kind === 'ready' ? observed.furtherPorts : undefined
      const port = places ? places[further.port] : further.port
      if (port === undefined) return { state: 'unknown' }
      return { ...said, ...reachOfPort(further), port, entryPort: target.port, furtherPort: further.port }
    },
    async reportConnections(reports) {
      if (reports.length > 0) await repository.upsertConnections(reports)
    },
  }
}
