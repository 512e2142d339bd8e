import { Problem } from '@capstan/contract/problems'
import { readDefaultAccess } from '@capstan/kubernetes/access'
import type { Tracer } from '@capstan/tracing/tracer'
import type { InstanceConfig } from '../../server/config.ts'
import { createKubernetesRuntime } from './kubernetes-runtime.ts'
import type { InstanceRuntime } from './runtime.ts'

/** Runtime of platforms without container challenges. It starts nothing. */
const noRuntime: InstanceRuntime = {
  exposure: 'Proxy',
  create: async () => {
    throw new Problem('instance.failed', { text: { code: 'instance.Off' } })
  },
  extend: async () => {},
  delete: async () => {},
  find: () => undefined,
  list: () => [],
  watch: () => () => {},
  close: async () => {},
}

/**
 * Creates the runtime that is configured for an api process.
 * @throws Error with an explanation if the configured runtime can only be created by `npm start`
 */
export async function createConfiguredRuntime(
  config: InstanceConfig,
  environment: NodeJS.ProcessEnv,
  log: { warn(fields: object, text: string): void },
  tracer?: Tracer | undefined,
): Promise<InstanceRuntime> {
  switch (config.runtime) {
    case 'kubernetes':
      return createKubernetesRuntime({ access: await readDefaultAccess(environment), settings: config, log, tracer })
    case 'none':
      return noRuntime
    case 'container':
    case 'process':
      throw new Error('CAPSTAN_INSTANCE_RUNTIME=container and process work only with npm start')
  }
}
