import { getServers } from 'node:dns'
import { readOrExit } from '@capstan/settings/read'
import { services } from '../challenge-instance/types.ts'
import { type FindObject, guardsOf } from '../guards/guards.ts'
import { inClusterAccess } from '../kube/access.ts'
import { createKubeClient, isNotFound, type KubeClient, type Scope } from '../kube/client.ts'
import { apiServerScope, endpointSlices } from '../kube/cluster-addresses.ts'
import type { KubeObject, Resource } from '../kube/types.ts'
import { type DoctorConfig, readDoctorConfig } from './config.ts'
import { doctorLimits, examine } from './examine.ts'
import { inspectAll } from './inspect.ts'
import { isHealthy, writeTable } from './table.ts'
import { nodeAddressesOf, platformPods, targetsOf } from './targets.ts'

/**
 * `helm test`: looks for what must be in place around challenges, makes challenge instances whose image tries to get out, and prints what
 * they could do. Exit code 0: nothing; 1: something, or something could not be tried, or something is not in place.
 */
async function main(): Promise<number> {
  const config = readOrExit(() => readDoctorConfig(process.env))
  const client = createKubeClient(await inClusterAccess(process.env))
  const inPlace = await inspectAll(guardsOf(config.guards, config.instanceNamespace), finder(client))
  const seen = await look(client, config)
  const [nameServer] = getServers()
  const findings = await examine({
    client,
    namespace: config.instanceNamespace,
    way: config.way,
    orders: {
      egress: config.way.egress,
      profile: config.way.security.profile,
      targets: targetsOf(seen),
      nodeAddresses: nodeAddressesOf(seen.pods),
      limits: { ...doctorLimits, processes: config.processes },
      ...(nameServer === undefined ? {} : { nameServer: { host: nameServer, port: 53 } }),
      ...(config.way.capture.enabled ? { capturePort: config.capturePort } : {}),
    },
    inPod: true,
  })
  const all = [...inPlace, ...findings]
  console.log(writeTable(all))
  return isHealthy(all) ? 0 : 1
}

const finder =
  (client: KubeClient): FindObject =>
  async (resource, namespace, name) => {
    try {
      return await client.get(resource, namespace, name)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

async function look(client: KubeClient, { platformNamespace, release, apiServer }: DoctorConfig) {
  const platform: Scope = { namespace: platformNamespace, labelSelector: `app.kubernetes.io/instance=${release}` }
  const list = async <T extends KubeObject>(resource: Resource<T>, scope: Scope) =>
    (await client.listPage(resource, scope, { limit: 1000 })).items
  return {
    services: await list(services, platform),
    pods: await list(platformPods, platform),
    endpointSlices: await list(endpointSlices, apiServerScope),
    apiServer,
  }
}

process.exit(await main())
