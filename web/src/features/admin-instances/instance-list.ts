import type { ContainerInstance, InstanceState } from '@capstan/contract/admin'

export const instanceSorts = ['started', 'newest', 'ending'] as const
type InstanceSort = (typeof instanceSorts)[number]

export const instanceViews = ['all', 'failing', 'starting', 'ending'] as const
type InstanceView = (typeof instanceViews)[number]

interface InstanceFilter {
  readonly text: string
  readonly view: InstanceView
  readonly sort: InstanceSort
  /** What "ending" means: minutes left, both ends included. */
  readonly endingMinutes: number
  /** Milliseconds. */
  readonly now: number
  /** By id; undefined: not known (yet). */
  readonly states: ReadonlyMap<string, InstanceState>
}

/** `host:port`, with an IPv6 address in brackets. */
export const addressText = ({ ip, port }: Pick<ContainerInstance, 'ip' | 'port'>): string =>
  `${ip.includes(':') ? `[${ip}]` : ip}:${port}`

const started = (instance: ContainerInstance) => Date.parse(instance.startedAt)
const ends = (instance: ContainerInstance) => Date.parse(instance.expectStopAt)

const order: Readonly<Record<InstanceSort, (one: ContainerInstance, other: ContainerInstance) => number>> = {
  started: (one, other) => started(one) - started(other),
  newest: (one, other) => started(other) - started(one),
  ending: (one, other) => ends(one) - ends(other),
}

/** The instances to show, in order. Every word typed must occur in challenge, category, team, image, address or name. */
export function filterInstances(
  instances: readonly ContainerInstance[],
  { text, view, sort, endingMinutes, now, states }: InstanceFilter,
): readonly ContainerInstance[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return instances
    .filter((instance) => {
      if (view === 'ending' && ends(instance) - now > endingMinutes * 60_000) return false
      if (view === 'failing' && states.get(instance.containerGuid)?.state !== 'Failing') return false
      if (view === 'starting' && states.get(instance.containerGuid)?.state !== 'Starting') return false
      const { challenge, team, image, containerId, containerGuid } = instance
      const haystack = [
        challenge?.title,
        challenge?.category,
        team?.name,
        image,
        addressText(instance),
        containerId,
        containerGuid,
      ]
        .join('\n')
        .toLocaleLowerCase()
      return words.every((word) => haystack.includes(word))
    })
    .sort(order[sort])
}
