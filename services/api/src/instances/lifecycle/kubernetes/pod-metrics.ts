import { challengeContainer } from '@capstan/challenge-instance/names'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import type { MeasuredUsages, ResourceAmount } from '../runtime.ts'

/** Metrics of a pod (metrics.k8s.io), with only the fields that this file reads. */
type PodMetrics = Omit<KubeObject, 'metadata'> &
  Readonly<{
    metadata: Pick<KubeObject['metadata'], 'name'>
    containers?: readonly Readonly<{
      name: string
      usage: Readonly<{ cpu?: string; memory?: string }>
    }>[]
  }>

/** Container of an instance that runs in a pod. */
export type PodOwner = Readonly<{
  id: string
  container: string
}>

export const podMetrics: Resource<KubeObject & PodMetrics> = {
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
}

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
}

/** Converts a quantity of Kubernetes to a number: `250m` is 0.25, `12Ki` is 12288. @returns NaN for other texts */
export function parseKubernetesQuantity(text: string | undefined): number {
  const [, number, suffix = ''] = /^(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(\D*)$/.exec(text ?? '') ?? []
  return number === undefined ? Number.NaN : Number(number) * (factors[suffix] ?? Number.NaN)
}

/**
 * Returns the CPU and memory usage of challenge containers. The result excludes recorder containers.
 * @param ownerOf returns the container whose pod has this name, or undefined for other pods
 */
export function usageOfContainers(
  items: readonly PodMetrics[],
  ownerOf: (podName: string) => PodOwner | undefined,
): MeasuredUsages {
  const usages = new Map<string, Map<string, ResourceAmount>>()
  for (const { metadata, containers = [] } of items) {
    const owner = ownerOf(metadata.name)
    const usage = containers.find(({ name }) => name === challengeContainer)?.usage
    const [cores, bytes] = [parseKubernetesQuantity(usage?.cpu), parseKubernetesQuantity(usage?.memory)]
    if (owner === undefined || Number.isNaN(cores + bytes)) continue
    const ofInstance = usages.get(owner.id) ?? new Map<string, ResourceAmount>()
    usages.set(
      owner.id,
      ofInstance.set(owner.container, { cpuMillicores: Math.round(cores * 1_000), memoryBytes: Math.round(bytes) }),
    )
  }
  return usages
}
