import { isIP } from 'node:net'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import type { KubeObject } from '@capstan/kubernetes/types'

/** The fields of a pod that hold a report of `report.sh`. */
export interface ReportingPod extends KubeObject {
  status?: Pick<NonNullable<Pod['status']>, 'containerStatuses' | 'initContainerStatuses'>
}

/** Labels of the pods that run `report.sh`, among the pods of a release. */
export const reporterComponent = 'node-addresses'

export function isReporter({ metadata }: KubeObject): boolean {
  return metadata.labels?.['app.kubernetes.io/component'] === reporterComponent
}

/**
 * Returns the addresses that a pod reports, or undefined without a report. Its first container prints them once, its second
 * container after each change. Both write to the termination message, which the kubelet copies to the pod's status.
 */
export function reportedAddresses({ status }: ReportingPod): string[] | undefined {
  const changed = status?.containerStatuses?.[0]
  const first = status?.initContainerStatuses?.[0]?.state?.terminated
  const last = changed?.state?.terminated ?? changed?.lastState?.terminated
  // A killed container leaves no message. The report before it is then the newest.
  const report = last?.message ?? (first?.exitCode === 0 ? (first.message ?? '') : undefined)
  return report?.split(/\s+/).filter((address) => isIP(address) !== 0)
}
