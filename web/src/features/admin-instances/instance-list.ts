import type { ContainerInstance, InstanceState, InstanceUsage } from '@capstan/contract/admin'

/** Sort keys of instances. The first one is the default. */
export const instanceOrders = ['age', 'challenge', 'team', 'state', 'cpu', 'memory', 'left', 'address'] as const
type InstanceOrder = (typeof instanceOrders)[number]

/** Returns the available sort keys. Usage is available only if instances are measured. */
export function listSortKeys(hasUsage: boolean): readonly InstanceOrder[] {
  return instanceOrders.filter((order) => hasUsage || (order !== 'cpu' && order !== 'memory'))
}

export const instanceViews = ['all', 'failing', 'starting', 'ending'] as const
type InstanceView = (typeof instanceViews)[number]

type InstanceFilter = Readonly<{
  text: string
  view: InstanceView
  sort: InstanceOrder
  descending: boolean
  /** Maximum number of remaining minutes at which an instance counts as ending soon. */
  endingMinutes: number
  now: number
  /** States by id. The state of an instance that has no entry is not known yet. */
  states: ReadonlyMap<string, InstanceState>
  /** Usage by id. An instance that has no entry is not measured. */
  usages: ReadonlyMap<string, InstanceUsage>
}>

export function getInstanceGuid({ containerGuid }: ContainerInstance) {
  return containerGuid
}

/** Returns `host:port`, with brackets around an IPv6 address. */
export function toAddressText({ ip, port }: Pick<ContainerInstance, 'ip' | 'port'>): string {
  return `${ip.includes(':') ? `[${ip}]` : ip}:${port}`
}

/** Compares ISO times as texts, because parsing thousands of dates would be slow. */
function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Severity of each state. A higher number is worse. */
const healths: Readonly<Record<InstanceState['state'], number>> = { Running: 0, Starting: 1, Failing: 2 }

type Values = Readonly<
  Record<Exclude<InstanceOrder, 'age' | 'left'>, (instance: ContainerInstance) => string | number | undefined>
>

function valuesOf(states: InstanceFilter['states'], usages: InstanceFilter['usages']): Values {
  return {
    challenge: ({ challenge }) => challenge?.title,
    team: ({ team }) => team?.name ?? undefined,
    state: ({ containerGuid }) => {
      const known = states.get(containerGuid)
      return known && healths[known.state]
    },
    cpu: ({ containerGuid }) => usages.get(containerGuid)?.cpuMillicores,
    memory: ({ containerGuid }) => usages.get(containerGuid)?.memoryBytes,
    address: toAddressText,
  }
}

function compareValues(one: string | number, other: string | number): number {
  return typeof one === 'number' && typeof other === 'number' ? one - other : names.compare(String(one), String(other))
}

/** Sorts in place. Unknown values are last in both directions. Instances with equal values are sorted oldest first. */
function order(instances: ContainerInstance[], { sort, descending, states, usages }: InstanceFilter): ContainerInstance[] {
  const sign = descending ? -1 : 1
  const byStart = (one: ContainerInstance, other: ContainerInstance) => compareText(one.startedAt, other.startedAt)
  // Sorting by age reverses the sign, because the oldest instance has the earliest start.
  if (sort === 'age') return instances.sort((one, other) => -sign * byStart(one, other))
  if (sort === 'left') return instances.sort((one, other) => sign * compareText(one.expectStopAt, other.expectStopAt))
  const keyOf = valuesOf(states, usages)[sort]
  return instances
    .map((instance) => ({ instance, value: keyOf(instance) }))
    .sort((one, other) => {
      if (one.value === undefined || other.value === undefined)
        return Number(one.value === undefined) - Number(other.value === undefined) || byStart(one.instance, other.instance)
      return sign * compareValues(one.value, other.value) || byStart(one.instance, other.instance)
    })
    .map(({ instance }) => instance)
}

/** Cache of the searchable text of each instance, because every keystroke searches thousands of instances. */
const haystacks = new WeakMap<ContainerInstance, string>()

function haystackOf(instance: ContainerInstance): string {
  const cached = haystacks.get(instance)
  if (cached !== undefined) return cached
  const { challenge, team, image, containerId, containerGuid } = instance
  const parts = [challenge?.title, challenge?.category, team?.name, image, toAddressText(instance), containerId, containerGuid]
  const haystack = parts.join('\n').toLocaleLowerCase()
  haystacks.set(instance, haystack)
  return haystack
}

/**
 * Returns the matching instances in order. Every word that the user entered must occur in the challenge, category, team, image,
 * address or name.
 */
export function filterInstances(instances: readonly ContainerInstance[], filter: InstanceFilter): readonly ContainerInstance[] {
  const { text, view, endingMinutes, now, states } = filter
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const endsBy = new Date(now + endingMinutes * 60_000).toISOString()
  const matching = instances.filter((instance) => {
    if (view === 'ending' && instance.expectStopAt > endsBy) return false
    if (view === 'failing' && states.get(instance.containerGuid)?.state !== 'Failing') return false
    if (view === 'starting' && states.get(instance.containerGuid)?.state !== 'Starting') return false
    if (words.length === 0) return true
    const haystack = haystackOf(instance)
    return words.every((word) => haystack.includes(word))
  })
  return order(matching, filter)
}
