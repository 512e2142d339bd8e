import { findAnswerDeadline } from '../deadline.ts'
import { readinessLineOf } from '../desired/pod.ts'
import type { ContainerPass } from '../pass.ts'
import { hasRequiredReadinessLine, isPodBeingDeleted } from '../pod-state.ts'

/** Follows the output of the container while its readiness line is missing. */
export async function awaitReadinessLine({ instance, children: { pod }, ports }: ContainerPass): Promise<void> {
  const line = readinessLineOf(instance)
  if (line === undefined || pod === undefined || isPodBeingDeleted(pod) || hasRequiredReadinessLine(pod)) return
  const deadline = findAnswerDeadline(instance, pod)
  if (deadline !== undefined) ports.lines.search(pod, line, deadline)
}
