import { hasAllDesiredValues } from '@capstan/kubernetes/apply'
import { networkPolicies } from '@capstan/kubernetes/built-in-kinds'
import type { Pass } from '../pass.ts'
import { applyChild } from '../writes.ts'

/** Creates or updates the policies of the networks between the containers of an instance. */
export async function ensureNetworks({ networks, ports: { client, caches } }: Pick<Pass, 'networks' | 'ports'>): Promise<void> {
  await Promise.all(
    networks.map(async (network) => {
      const { namespace, name } = network.metadata
      if (hasAllDesiredValues(network, caches.networkPolicies.get(`${namespace}/${name}`))) return
      await applyChild(networkPolicies, network, { client, cache: caches.networkPolicies })
    }),
  )
}
