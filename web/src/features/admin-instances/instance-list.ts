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

/** The smallest comes first. */
const placeOf: Readonly<Record<InstanceSort, (instance: ContainerInstance) => number>> = {
  started,
  newest: (instance) => -started(instance),
  ending: ends,
}

const sortedBy = (instances: readonly ContainerInstance[], place: (instance: ContainerInstance) => number) =>
  instances
    .map((instance) => ({ instance, place: place(instance) }))
    .sort((one, other) => one.place - other.place)
    .map(({ instance }) => instance)

const haystackOf = (instance: ContainerInstance): string => {
  const { challenge, team, image, containerId, containerGuid } = instance
  return [challenge?.title, challenge?.category, team?.name, image, addressText(instance), containerId, containerGuid]
    .join('\n')
    .toLocaleLowerCase()
}

/** The instances to show, in order. Every word typed must occur in challenge, category, team, image, address or name. */
export function filterInstances(
  instances: readonly ContainerInstance[],
  { text, view, sort, endingMinutes, now, states }: InstanceFilter,
): readonly ContainerInstance[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const matching = instances.filter((instance) => {
    if (view === 'ending' && ends(instance) - now > endingMinutes * 60_000) return false
    if (view === 'failing' && states.get(instance.containerGuid)?.state !== 'Failing') return false
    if (view === 'starting' && states.get(instance.containerGuid)?.state !== 'Starting') return false
    if (words.length === 0) return true
    const haystack = haystackOf(instance)
    return words.every((word) => haystack.includes(word))
  })
  return sortedBy(matching, placeOf[sort])
}
