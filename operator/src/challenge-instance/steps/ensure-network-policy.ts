import { hasAllDesiredValues } from '@capstan/kubernetes/apply'
import { networkPolicies } from '@capstan/kubernetes/built-in-kinds'
import type { ContainerPass } from '../pass.ts'
import { applyChild } from '../writes.ts'

export async function ensureNetworkPolicy({
  children,
  desired,
  ports,
}: Pick<ContainerPass, 'children' | 'desired' | 'ports'>): Promise<void> {
  if (hasAllDesiredValues(desired.networkPolicy, children.networkPolicy)) return
  await applyChild(networkPolicies, desired.networkPolicy, { client: ports.client, cache: ports.caches.networkPolicies })
}
