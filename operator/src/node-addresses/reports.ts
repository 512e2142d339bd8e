import { isIP } from 'node:net'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import type { KubeObject } from '@capstan/kubernetes/types'

/** Fields of a pod that contain a report of the script `report.sh`. */
export interface ReportingPod extends KubeObject {
  status?: Pick<NonNullable<Pod['status']>, 'containerStatuses' | 'initContainerStatuses'>
}

/** Labels of the pods that run `report.sh` in a release. */
export const reporterComponent = 'node-addresses'

export function isAddressReporterPod({ metadata }: KubeObject): boolean {
  return metadata.labels?.['app.kubernetes.io/component'] === reporterComponent
}

/**
 * Returns the lines of a pod's report. The init container reports once, and the main container after each change.
 * Each container writes to its termination message, which the kubelet copies to the pod's status.
 * @returns undefined if the pod has not reported yet
 */
function readReport({ status }: ReportingPod): string[] | undefined {
  const changed = status?.containerStatuses?.[0]
  const first = status?.initContainerStatuses?.[0]?.state?.terminated
  const last = changed?.state?.terminated ?? changed?.lastState?.terminated
  // If the main container has no report, use the report of the init container.
  const report = last?.message ?? (first?.exitCode === 0 ? (first.message ?? '') : undefined)
  return report?.trim().split(/\s+/)
}

/**
 * Returns the node addresses that a pod reports. Addresses of an incomplete report are also returned, because it is
 * better to block some addresses than none.
 * @returns undefined if the pod has not reported yet
 */
export function readReportedAddresses(pod: ReportingPod): string[] | undefined {
  return readReport(pod)?.filter((address) => isIP(address) !== 0)
}

/** True if a pod has reported all addresses of its node. Kubernetes cuts a report of more than 4,096 bytes. */
export function hasCompleteReport(pod: ReportingPod): boolean {
  const report = readReport(pod)
  return report?.at(0) === 'begin' && report.at(-1) === 'end'
}
