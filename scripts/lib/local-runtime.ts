import { createHash } from 'node:crypto'
import process from 'node:process'
import { createCombinedRuntime } from '@capstan/api/instances/lifecycle/combined-runtime'
import { findEngine } from '@capstan/api/instances/lifecycle/container/engine'
import { createContainerRuntime } from '@capstan/api/instances/lifecycle/container-runtime'
import { createKubernetesRuntime } from '@capstan/api/instances/lifecycle/kubernetes-runtime'
import { createProcessRuntime } from '@capstan/api/instances/lifecycle/process-runtime'
import type { InstanceRuntime } from '@capstan/api/instances/lifecycle/runtime'
import type { InstanceConfig } from '@capstan/api/server/config'
import { systemClock } from '@capstan/api/server/http/clock'
import { readDefaultAccess } from '@capstan/kubernetes/access'
import type { Tracer } from '@capstan/tracing/tracer'
import type { Logger } from 'pino'
import { listDemoImages } from '../../e2e/challenges/images.ts'
import { startClusterOperator } from './cluster-operator.ts'
import { PlainError } from './data-folder.ts'

export type LocalRuntimeOptions = Readonly<{
  inCluster: boolean
  /**
   * Data folder of this platform. Containers of this platform are marked with a hash of the folder's path. Several platforms on
   * one machine therefore do not affect each other's containers.
   */
  dataFolder: string
  log: Logger
  tracer: Tracer | undefined
}>

/** Creates a runtime for instances in the cluster, and starts an operator process for them. `close` also stops this operator. */
async function createClusterRuntime(
  config: InstanceConfig,
  { log, tracer }: Pick<LocalRuntimeOptions, 'log' | 'tracer'>,
): Promise<InstanceRuntime> {
  try {
    const access = await readDefaultAccess(process.env)
    const operator = await startClusterOperator(access, config.namespace)
    const runtime = createKubernetesRuntime({ access, settings: config, log, tracer })
    const close = async (): Promise<void> => {
      await runtime.close()
      await operator.stop()
    }
    return { ...runtime, close }
  } catch (error) {
    throw new PlainError(`The cluster cannot be used: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/**
 * Creates the runtime for instances: in the cluster of the current kubeconfig, or by default on this machine. On this machine, demo
 * challenges are child processes, which start immediately. Other images run in docker or podman if one of them is available.
 */
export async function createLocalRuntime(
  config: InstanceConfig,
  { inCluster, dataFolder, log, tracer }: LocalRuntimeOptions,
): Promise<InstanceRuntime> {
  if (inCluster) return createClusterRuntime(config, { log, tracer })
  const images = listDemoImages()
  const { flagEnvironmentNames, pidsLimit, egress, choices } = config
  const processes = createProcessRuntime({ clock: systemClock, images, flagEnvironmentNames })
  const engine = await findEngine()
  if (!engine) return processes
  const owner = createHash('sha256').update(dataFolder).digest('hex').slice(0, 12)
  const settings = { owner, publishHost: '127.0.0.1', flagEnvironmentNames, pidsLimit, egress, choices }
  const containers = createContainerRuntime({ clock: systemClock, engine, settings, log })
  const demoImages = new Set(images.map(({ image }) => image))
  return createCombinedRuntime({
    first: processes,
    second: containers,
    isForFirst: ({ containers: [entry, ...others] }) => others.length === 0 && demoImages.has(entry.image),
  })
}
