import type { InstanceRoute, RouteTarget } from '@capstan/contract/gateway-backend'
import type { ProblemCode } from '@capstan/contract/problems'
import type { Backend } from '../backend.ts'
import type { GatewayLogger } from '../log.ts'
import { LookupCache } from '../lookup-cache.ts'

export type ReadyRoute = Extract<RouteTarget, { state: 'ready' }>

export type RouteLookupOptions = Readonly<{
  backend: Pick<Backend, 'route'>
  /** Time for which the gateway caches that a label is unknown or that its instance has ended, in ms. */
  missMs: number
  now: () => number
  log: GatewayLogger
}>

const maxCachedMisses = 10_000

/** Problem codes for refused connections, by the state of the route. */
const codeOf = { starting: 'proxy.unreachable', ended: 'instance.none', unknown: 'instance.unknown' } as const

/**
 * True if the state of a route cannot change. Each label belongs to only one instance, so the states `ended` and `unknown` of a
 * label are permanent. But a starting instance may become ready at any time, and a port may be assigned to another instance.
 */
function isSettled({ state }: RouteTarget, route: InstanceRoute): boolean {
  return 'label' in route && (state === 'ended' || state === 'unknown')
}

/**
 * Resolves labels and ports to instances by a call to the api for each connection. Caches only permanent states, for a short
 * time.
 */
export class RouteLookup {
  readonly #options: RouteLookupOptions
  readonly #answers: LookupCache<string, RouteTarget>

  constructor(options: RouteLookupOptions) {
    this.#options = options
    this.#answers = new LookupCache({
      load: (key) => options.backend.route(routeOf(key)),
      lifetimeMs: (target, key) => (isSettled(target, routeOf(key)) ? options.missMs : 0),
      maxEntries: maxCachedMisses,
      now: options.now,
    })
  }

  /**
   * Drops all cached results after an instance ended or moved. Results of pending lookups may be stale, so later callers do not
   * receive them.
   */
  forgetAll(): void {
    this.#answers.forgetAll()
  }

  async #look(route: InstanceRoute): Promise<RouteTarget | 'server.unavailable'> {
    try {
      return await this.#answers.get('label' in route ? route.label : String(route.port))
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not look up a label or port')
      return 'server.unavailable'
    }
  }

  async find(route: InstanceRoute): Promise<ReadyRoute | ProblemCode> {
    const target = await this.#look(route)
    if (typeof target === 'string') return target
    return target.state === 'ready' ? target : codeOf[target.state]
  }
}

function routeOf(key: string): InstanceRoute {
  return /^\d{1,5}$/.test(key) ? { port: Number(key) } : { label: key }
}
