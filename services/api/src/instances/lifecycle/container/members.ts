import { challengeContainer } from '@capstan/challenge-instance/names'
import { readyReasons } from '@capstan/challenge-instance/reasons'
import type { ContainerDependency } from '@capstan/contract/containers'
import {
  describeSingleContainer,
  type FurtherPlaces,
  keyOfContainerPort,
  type ObservedContainer,
  type ObservedState,
} from '../runtime.ts'
import type { EngineContainer } from './engine.ts'
import type { ContainerPlan } from './plan.ts'

/** State of one container of an instance. */
export type MemberState = Readonly<{ kind: 'ready' } | { kind: 'pending' | 'failed'; reason: string; message: string }>

export interface Member {
  readonly plan: ContainerPlan
  /** Container as the engine reports it. Undefined until the engine has created it. */
  container?: EngineContainer
  state: MemberState
  isStarting: boolean
  isProbed: boolean
}

/** Returns the name of a container as admins see it. */
export function nameOfContainer({ plan }: Member): string {
  return plan.name ?? challengeContainer
}

/** Finds a container by the name that admins see. */
export function findContainerByName(members: readonly Member[], name: string): Member | undefined {
  return members.find((member) => nameOfContainer(member) === name)
}

const dependencyFailed = { kind: 'failed', reason: 'DependencyFailed', message: readyReasons.DependencyFailed.message } as const
const waiting = {
  kind: 'pending',
  reason: 'WaitingForDependency',
  message: readyReasons.WaitingForDependency.message,
} as const

function isMet({ when }: ContainerDependency, { state, container }: Member): boolean {
  return state.kind === 'ready' || (when === 'started' && container?.status === 'running')
}

/**
 * Returns the state of a created container that may not start, because its dependencies are not met or because the engine could
 * not create another container.
 * @returns undefined if the container may start
 */
export function findDependencyState({ plan }: Member, members: readonly Member[]): MemberState | undefined {
  const needed = (plan.dependsOn ?? []).flatMap((dependency) => {
    const member = members.find(({ plan: { name } }) => name === dependency.name)
    return member && !isMet(dependency, member) ? [member] : []
  })
  if (needed.some(({ state }) => state.kind === 'failed')) return dependencyFailed
  const isIncomplete = members.some(({ state, container }) => state.kind === 'failed' && container === undefined)
  return needed.length > 0 || isIncomplete ? waiting : undefined
}

/** Returns the severity of a state. The state of an instance is the most severe state of its containers. */
function severityOf(state: MemberState): number {
  if (state.kind === 'ready') return 0
  if (state.kind === 'pending') return state.reason === waiting.reason ? 1 : 2
  return state.reason === dependencyFailed.reason ? 3 : 4
}

/** Returns the state of an instance. An instance is ready if all its containers are ready. */
export function instanceStateOf(members: readonly [Member, ...Member[]], host: string): ObservedState {
  const worst = members.map(({ state }) => state).reduce((one, other) => (severityOf(other) > severityOf(one) ? other : one))
  if (worst.kind !== 'ready') return worst
  const [{ container, plan }, ...further] = members
  const { published = {}, entryPort } = container ?? {}
  const port = published[entryPort ?? plan.ports[0] ?? 0] ?? 0
  const furtherPorts = Object.fromEntries(
    plan.ports.flatMap((inner) => {
      const outer = published[inner]
      return inner === entryPort || outer === undefined || outer === port ? [] : [[inner, outer]]
    }),
  )
  const furtherPlaces: FurtherPlaces = Object.fromEntries(
    further.flatMap((member) =>
      member.plan.ports.flatMap((inner) => {
        const outer = member.container?.published[inner]
        return outer === undefined ? [] : [[keyOfContainerPort(nameOfContainer(member), inner), { host, port: outer }] as const]
      }),
    ),
  )
  return { kind: 'ready', host, port, furtherPorts, ...(Object.keys(furtherPlaces).length > 0 && { furtherPlaces }) }
}

/** Returns the data about a container that organizers see. */
export function toObservedContainer(member: Member): ObservedContainer {
  const { state, container, plan } = member
  const place = { host: '', port: 0 }
  const only = describeSingleContainer(state.kind === 'ready' ? { ...state, ...place } : state, {
    lastExit: container?.lastExit,
    limits: plan.limits,
  })
  return { ...only, name: nameOfContainer(member) }
}
