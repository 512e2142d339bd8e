import type { Dependency } from '@capstan/challenge-instance/containers'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { findChallengeStatus, hasPodEnded, isPodBeingDeleted, isPodReady } from './pod-state.ts'

/** True if a dependency is met: the other container has the state that the dependency requires. */
function isMet({ when }: Dependency, pod: Pod | undefined): boolean {
  if (pod === undefined || isPodBeingDeleted(pod) || hasPodEnded(pod)) return false
  return isPodReady(pod) || (when === 'Started' && findChallengeStatus(pod)?.state?.running !== undefined)
}

/** Returns the dependencies that prevent the start of a container. */
export function listUnmetDependencies(
  dependencies: readonly Dependency[],
  podOf: (container: string) => Pod | undefined,
): readonly Dependency[] {
  return dependencies.filter((dependency) => !isMet(dependency, podOf(dependency.name)))
}
