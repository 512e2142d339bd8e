import type { ContainerInstance, InstanceState, InstanceUsage } from '@capstan/contract/admin'

const timeSorts = ['started', 'newest', 'ending'] as const
/** The last two only where usage is known. */
export const instanceSorts = [...timeSorts, 'cpu', 'memory'] as const
type InstanceSort = (typeof instanceSorts)[number]

export const sortsOf = (hasUsage: boolean): readonly InstanceSort[] => (hasUsage ? instanceSorts : timeSorts)

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
  /** By id; an instance that is missing is not measured. */
  readonly usages: ReadonlyMap<string, InstanceUsage>
}

/** `host:port`, with an IPv6 address in brackets. */
export const addressText = ({ ip, port }: Pick<ContainerInstance, 'ip' | 'port'>): string =>
  `${ip.includes(':') ? `[${ip}]` : ip}:${port}`

type Compare = (one: ContainerInstance, other: ContainerInstance) => number

/** All instants have the same format, so comparing them as texts gives the order of time without parsing thousands of dates. */
const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const byStart: Compare = (one, other) => compareText(one.startedAt, other.startedAt)
const byEnd: Compare = (one, other) => compareText(one.expectStopAt, other.expectStopAt)

/** The most first, what is not measured last. */
const byUsage =
  (usages: InstanceFilter['usages'], amount: (usage: InstanceUsage) => number): Compare =>
  (one, other) => {
    const amountOf = ({ containerGuid }: ContainerInstance) => {
      const usage = usages.get(containerGuid)
      return usage ? amount(usage) : -1
    }
    return amountOf(other) - amountOf(one)
  }

const comparing = (sort: InstanceSort, usages: InstanceFilter['usages']): Compare =>
  ({
    started: byStart,
    newest: (one: ContainerInstance, other: ContainerInstance) => byStart(other, one),
    ending: byEnd,
    cpu: byUsage(usages, ({ cpuMillicores }) => cpuMillicores),
    memory: byUsage(usages, ({ memoryBytes }) => memoryBytes),
  })[sort]

/** The search text of each instance is kept, because a list of thousands is searched with every letter typed. */
const haystacks = new WeakMap<ContainerInstance, string>()

const haystackOf = (instance: ContainerInstance): string => {
  const kept = haystacks.get(instance)
  if (kept !== undefined) return kept
  const { challenge, team, image, containerId, containerGuid } = instance
  const parts = [challenge?.title, challenge?.category, team?.name, image, addressText(instance), containerId, containerGuid]
  const haystack = parts.join('\n').toLocaleLowerCase()
  haystacks.set(instance, haystack)
  return haystack
}

/** The instances to show, in order. Every word typed must occur in challenge, category, team, image, address or name. */
export function filterInstances(
  instances: readonly ContainerInstance[],
  { text, view, sort, endingMinutes, now, states, usages }: InstanceFilter,
): readonly ContainerInstance[] {
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
  return matching.sort(comparing(sort, usages))
}
