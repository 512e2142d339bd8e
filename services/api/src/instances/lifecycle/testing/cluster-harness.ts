import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { definitionFile } from '@capstan/challenge-instance/definition-file'
import { readDefaultAccess } from '@capstan/kubernetes/access'
import { customResourceDefinitions, namespaces } from '@capstan/kubernetes/built-in-kinds'
import { createKubeClient, isNotFoundError } from '@capstan/kubernetes/client'
import type { DesiredObject, KubeObject, Resource } from '@capstan/kubernetes/types'
import { parse } from 'yaml'
import type { KubernetesSettings } from '../kubernetes/instance-objects.ts'
import { createKubernetesRuntime } from '../kubernetes-runtime.ts'
import { aKubernetesSettings } from './kubernetes-settings.ts'

const operatorEntry = fileURLToPath(new URL('../../../../../../operator/src/main.ts', import.meta.url))

/** Images of `operator/testing-images` in the image store of the cluster. */
export const echoImage = process.env.CAPSTAN_TEST_IMAGE ?? 'capstan/demo-echo:dev'
export const crashImage = process.env.CAPSTAN_TEST_CRASH_IMAGE ?? 'capstan/demo-crash:dev'

export const silentLog = { warn: () => {} }

/** Field manager of the objects that tests apply. */
const manager = 'capstan-tests'

/** Prepares a namespace in the cluster of `KUBECONFIG`. The cluster gets the CRD and, unless disabled, the real operator. */
export async function startClusterHarness({ withOperator = true } = {}) {
  const access = await readDefaultAccess(process.env)
  const client = createKubeClient(access, { userAgent: manager })
  const namespace = `capstan-api-${randomBytes(4).toString('hex')}`
  await client.create(namespaces, undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const definition = parse(await readFile(definitionFile, 'utf8')) as DesiredObject
  await client.apply(customResourceDefinitions, definition, manager)
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
  return {
    access,
    client,
    namespace,
    settings,
    createRuntime: (change: Partial<KubernetesSettings> = {}) =>
      createKubernetesRuntime({ access, settings: { ...settings, ...change }, log: silentLog }),
    /** Finds an object. @returns undefined if it does not exist */
    async find<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T | undefined> {
      try {
        return await client.get(resource, namespace, name)
      } catch (error) {
        if (isNotFoundError(error)) return undefined
        throw error
      }
    },
    async close(): Promise<void> {
      if (operator && operator.exitCode === null) {
        operator.kill('SIGTERM')
        await once(operator, 'exit')
      }
      await client.delete(namespaces, undefined, namespace)
      client.close()
    },
  }
}

export type ClusterHarness = Awaited<ReturnType<typeof startClusterHarness>>
