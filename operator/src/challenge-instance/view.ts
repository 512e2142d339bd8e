import type { Dependency, InstanceContainer } from '@capstan/challenge-instance/containers'
import type { Children } from './children.ts'
import type { Refusal } from './refusals.ts'
import type { InstanceSettings } from './settings.ts'

/** Observed state of a container. The status of the container is derived from it. */
export interface View {
  instance: InstanceContainer
  children: Children
  refusal: Refusal | undefined
  /** Dependencies that prevent the start of the container. */
  unmet: readonly Dependency[]
  settings: InstanceSettings
  now: Date
}
