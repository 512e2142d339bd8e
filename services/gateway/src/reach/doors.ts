import type { DoorTarget, InstanceDoor } from '@capstan/contract/gateway-backend'
import type { ProblemCode } from '@capstan/contract/problems'
import type { Backend } from '../backend.ts'
import type { GatewayLogger } from '../log.ts'
import { LookupCache } from '../lookup-cache.ts'

export type ReadyDoor = Extract<DoorTarget, { state: 'ready' }>

export interface DoorsOptions {
  readonly backend: Pick<Backend, 'door'>
  /** How long it holds that a name leads nowhere. */
  readonly missMs: number
  readonly now: () => number
  readonly log: GatewayLogger
}

const cachedMissesMax = 10_000

/** Why a door leads nowhere, as the problem that a connection is refused with. */
const codeOf = { starting: 'proxy.unreachable', ended: 'instance.none', unknown: 'instance.unknown' } as const

/** A name that leads nowhere will lead nowhere: each is one instance's. An instance that starts is ready, and has a port, at any moment. */
const isSettled = ({ state }: DoorTarget, door: InstanceDoor): boolean =>
  'label' in door && (state === 'ended' || state === 'unknown')

/** What is behind labels and ports, asked for each connection; that there is nothing behind a label holds for a moment. */
export class Doors {
  readonly #options: DoorsOptions
  readonly #answers: LookupCache<string, DoorTarget>

  constructor(options: DoorsOptions) {
    this.#options = options
    this.#answers = new LookupCache({
      load: (key) => options.backend.door(doorOf(key)),
      lifetimeMs: (target, key) => (isSettled(target, doorOf(key)) ? options.missMs : 0),
      maxEntries: cachedMissesMax,
      now: options.now,
    })
  }

  /** An instance ended or moved: an answer that is under way may be older than that, and nobody else is given it. */
  forgetAll(): void {
    this.#answers.forgetAll()
  }

  async #look(door: InstanceDoor): Promise<DoorTarget | 'server.unavailable'> {
    try {
      return await this.#answers.get('label' in door ? door.label : String(door.port))
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not look up what is behind a door')
      return 'server.unavailable'
    }
  }

  async find(door: InstanceDoor): Promise<ReadyDoor | ProblemCode> {
    const target = await this.#look(door)
    if (typeof target === 'string') return target
    return target.state === 'ready' ? target : codeOf[target.state]
  }
}

/** No label is a number as short as a port. */
const doorOf = (key: string): InstanceDoor => (/^\d{1,5}$/.test(key) ? { port: Number(key) } : { label: key })
