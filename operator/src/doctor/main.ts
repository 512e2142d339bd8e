import { getServers } from 'node:dns'
import { services } from '../challenge-instance/types.ts'
import { inClusterAccess } from '../kube/access.ts'
import { createKubeClient, type KubeClient, type Scope } from '../kube/client.ts'
import { apiServerScope, endpointSlices } from '../kube/cluster-addresses.ts'
import type { KubeObject, Resource } from '../kube/types.ts'
import { type DoctorConfig, readDoctorConfig } from './config.ts'
import { doctorLimits, examine } from './examine.ts'
import { isHealthy, writeTable } from './table.ts'
import { nodeAddressesOf, platformPods, targetsOf } from './targets.ts'

/**
 * `helm test`: makes challenge instances whose image tries to get out, and prints what they could do. Exit code 0: nothing;
 * 1: something, or something could not be tried.
 */
async function main(): Promise<number> {
  const config = readDoctorConfig(process.env)
  const client = createKubeClient(await inClusterAccess(process.env))
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
  console.log(writeTable(findings))
  return isHealthy(findings) ? 0 : 1
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
