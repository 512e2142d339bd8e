import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { findKubernetesAccess } from '../kubernetes/access.ts'
import { createKubernetesClient, isStatus, type KubernetesClient } from '../kubernetes/client.ts'
import type { KubernetesSettings } from '../kubernetes/instance-objects.ts'
import { createKubernetesRuntime } from '../kubernetes-runtime.ts'
import { aKubernetesSettings } from './kubernetes-settings.ts'

const definitionFile = fileURLToPath(new URL('../../../../../crds/capstan.dev_challengeinstances.yaml', import.meta.url))
const operatorEntry = fileURLToPath(new URL('../../../../../operator/src/main.ts', import.meta.url))

/** Images of `operator/testing-images`, in the cluster's store. */
export const echoImage = process.env.CAPSTAN_TEST_IMAGE ?? 'capstan/demo-echo:dev'
export const crashImage = process.env.CAPSTAN_TEST_CRASH_IMAGE ?? 'capstan/demo-crash:dev'

export const silentLog = { warn: () => {} }

const applyDefinition = async (client: KubernetesClient): Promise<void> => {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/challengeinstances.capstan.dev'
  const yaml = await readFile(definitionFile, 'utf8')
  await client.send('PATCH', `${path}?fieldManager=capstan-tests&force=true`, yaml, 'application/apply-patch+yaml')
}

/** A namespace of the cluster of `KUBECONFIG` with the CRD installed and, unless switched off, the real operator beside it. */
export const startClusterHarness = async ({ withOperator = true } = {}) => {
  const access = await findKubernetesAccess(process.env)
  const client = createKubernetesClient(access)
  const namespace = `capstan-api-${randomBytes(4).toString('hex')}`
  await client.send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await applyDefinition(client)
  let operator: ChildProcess | undefined
  if (withOperator)
    operator = spawn(process.execPath, [operatorEntry], {
      env: {
        ...process.env,
        CAPSTAN_INSTANCE_NAMESPACE: namespace,
        CAPSTAN_PLATFORM_NAMESPACE: namespace,
        CAPSTAN_HEALTH_PORT: '0',
        CAPSTAN_SCHEDULING_GRACE_SECONDS: '3',
        CAPSTAN_LOG_LEVEL: 'error',
        POD_NAME: 'api-test',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })

  const settings = aKubernetesSettings(namespace)
  const instances = `/apis/capstan.dev/v1alpha1/namespaces/${namespace}/challengeinstances`
  const secrets = `/api/v1/namespaces/${namespace}/secrets`
  return {
    access,
    client,
    namespace,
    settings,
    instances,
    secrets,
    createRuntime: (change: Partial<KubernetesSettings> = {}) =>
      createKubernetesRuntime({ access, settings: { ...settings, ...change }, log: silentLog }),
    /** Undefined: there is none. */
    async get(path: string): Promise<unknown> {
      try {
        return await client.send('GET', path)
      } catch (error) {
        if (isStatus(error, 404)) return undefined
        throw error
      }
    },
    async close(): Promise<void> {
      if (operator && operator.exitCode === null) {
        operator.kill('SIGTERM')
        await once(operator, 'exit')
      }
      await client.send('DELETE', `/api/v1/namespaces/${namespace}`)
      client.close()
    },
  }
}

export type ClusterHarness = Awaited<ReturnType<typeof startClusterHarness>>
