import { getServers } from 'node:dns'
import { operatorName } from '@capstan/challenge-instance/names'
import { readServiceAccountAccess } from '@capstan/kubernetes/access'
import { services } from '@capstan/kubernetes/built-in-kinds'
import { createKubeClient, isNotFoundError, type Scope } from '@capstan/kubernetes/client'
import { apiServerScope, endpointSlices } from '@capstan/kubernetes/cluster-addresses'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { readSettingsOrExit } from '@capstan/settings/read'
import { type FindObject, listGuards } from '../guards/guards.ts'
import { checkGuards } from './check-guards.ts'
import { type DoctorConfig, readDoctorConfig } from './config.ts'
import { createRepeatingClient, type RepeatingClient } from './repeating-client.ts'
import { runLateralProbes } from './run-lateral-probes.ts'
import { probeLimits, runProbes } from './run-probes.ts'
import { formatDoctorReport, isEveryAttemptBlockedOrSkipped } from './table.ts'
import {
  checkAllNodesReportedAddresses,
  listCidrsToDeny,
  listLateralTargets,
  listNodeAddresses,
  listProbeTargets,
  listServiceDnsNames,
  type PlatformObjects,
  platformPods,
} from './targets.ts'

/**
 * Checks that challenges are isolated, and prints the findings.
 * Exit code 1: a protection is missing or does not work, or a check could not run.
 */
async function main(): Promise<number> {
  const config = readSettingsOrExit(() => readDoctorConfig(process.env))
  const access = await readServiceAccountAccess(process.env)
  const client = createRepeatingClient(createKubeClient(access, { userAgent: operatorName }))
  const guardFindings = await checkGuards(listGuards(config.guards, config.instanceNamespace), createFindObject(client))
  const platform = await readPlatform(client, config)
  const targets = listProbeTargets(platform)
  const [nameServer] = getServers()
  const { instanceNamespace, instanceSpec } = config
  const { egress } = instanceSpec
  const options = { client, namespace: instanceNamespace, instanceSpec, inPod: true }
  const network = {
    egress,
    nodeAddresses: listNodeAddresses(platform.pods),
    ...(nameServer === undefined ? {} : { nameServer: { host: nameServer, port: 53 } }),
  }
  const task = {
    ...network,
    profile: instanceSpec.security.profile,
    targets,
    limits: { ...probeLimits, processes: config.processes },
    ...(instanceSpec.capture.enabled ? { capturePort: config.capturePort } : {}),
  }
  const plan = {
    ...network,
    targets: listLateralTargets(targets, egress),
    clusterNames: listServiceDnsNames(platform.services, config.platformNamespace),
  }
  const probes = [runProbes({ ...options, task }), runLateralProbes({ ...options, plan })]
  // Wait for all probes even if one fails, so that each of them removes its instances.
  await Promise.allSettled(probes)
  const findings = [
    ...guardFindings,
    ...checkAllNodesReportedAddresses(platform.pods, egress),
    ...(await Promise.all(probes)).flat(),
  ]
  const open = egress === 'Internet' ? listCidrsToDeny(findings, targets) : []
  const advice = open.length > 0 ? `Name in instances.egressDeniedCidrs: ${open.join(', ')}\n` : ''
  await print(`${formatDoctorReport(findings)}\n${advice}`)
  return isEveryAttemptBlockedOrSkipped(findings) ? 0 : 1
}

/** Prints a text, and waits until all of it is written. If the process ended earlier, the rest would be lost. */
function print(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()))
}

function createFindObject(client: RepeatingClient): FindObject {
  return async (resource, namespace, name) => {
    try {
      return await client.get(resource, namespace, name)
    } catch (error) {
      if (isNotFoundError(error)) return undefined
      throw error
    }
  }
}

async function readPlatform(
  client: RepeatingClient,
  { platformNamespace, release, apiServer }: DoctorConfig,
): Promise<PlatformObjects> {
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
