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
 * Returns the node addresses that a pod reports. The init container reports them once, and the main container after each change.
 * Each container writes to its termination message, which the kubelet copies to the pod's status.
 * @returns undefined if the pod has not reported yet
 */
export function readReportedAddresses({ status }: ReportingPod): string[] | undefined {
  const changed = status?.containerStatuses?.[0]
  const first = status?.initContainerStatuses?.[0]?.state?.terminated
  const last = changed?.state?.terminated ?? changed?.lastState?.terminated
  // If the main container has no report, use the report of the init container.
  const report = last?.message ?? (first?.exitCode === 0 ? (first.message ?? '') : undefined)
  return report?.split(/\s+/).filter((address) => isIP(address) !== 0)
}
