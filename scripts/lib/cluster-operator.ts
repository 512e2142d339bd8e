import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { definitionFile } from '@capstan/challenge-instance/definition-file'
import type { ApiAccess } from '@capstan/kubernetes/access'
import { customResourceDefinitions, namespaces } from '@capstan/kubernetes/built-in-kinds'
import { createKubeClient, isConflictError } from '@capstan/kubernetes/client'
import type { DesiredObject } from '@capstan/kubernetes/types'
import { parse } from 'yaml'
import { setDefaultVariables, setVariables } from './environment.ts'

const root = path.join(import.meta.dirname, '..', '..')

/** Field manager with which `npm start` applies objects. */
const manager = 'capstan-start'

/**
 * Prepares a cluster for instances: applies the CRD, creates the namespace for instances, and starts an operator. The operator is a
 * local process with the same kubeconfig. Another operator may run in the cluster at the same time.
 * @returns a function `stop` that ends the operator
 */
export async function startClusterOperator(access: ApiAccess, namespace: string): Promise<{ stop(): Promise<void> }> {
  const client = createKubeClient(access, { userAgent: manager })
  await client.apply(customResourceDefinitions, parse(readFileSync(definitionFile, 'utf8')) as DesiredObject, manager)
  try {
    await client.create(namespaces, undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  } catch (error) {
    if (!isConflictError(error)) throw error
  } finally {
    client.close()
  }

  const child: ChildProcess = spawn(process.execPath, [path.join(root, 'operator', 'src', 'main.ts')], {
    env: setVariables(setDefaultVariables(process.env, { CAPSTAN_LOG_LEVEL: 'error' }), {
      CAPSTAN_PLATFORM_NAMESPACE: namespace,
      CAPSTAN_INSTANCE_NAMESPACE: namespace,
      CAPSTAN_HEALTH_PORT: '0',
    }),
    stdio: ['ignore', 'inherit', 'inherit'],
    // Start the operator outside of the terminal's process group. Ctrl-C then reaches only the platform, which stops the operator
    // last.
    detached: true,
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  process.once('exit', () => child.kill('SIGTERM'))
  return {
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
