import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { KubernetesAccess } from '@capstan/api/instances/kubernetes/access'
import { createKubernetesClient, isStatus } from '@capstan/api/instances/kubernetes/client'
import { parse } from 'yaml'
import { completed, overridden } from './environment.ts'

const root = path.join(import.meta.dirname, '..', '..')
const definition = 'capstan.dev_challengeinstances.yaml'

/**
 * Gives a bare cluster what instances need: the ChallengeInstance definition, their namespace, and an operator that runs here,
 * beside the platform, with the same kubeconfig. Where an operator runs in the cluster already, two are harmless.
 * @returns the operator's process; it ends with `stop`
 */
export const startClusterOperator = async (access: KubernetesAccess, namespace: string): Promise<{ stop(): Promise<void> }> => {
  const client = createKubernetesClient(access)
  const crd = parse(readFileSync(path.join(root, 'crds', definition), 'utf8'))
  const apply = '?fieldManager=capstan-start&force=true'
  const crdPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`
  await client.send('PATCH', `${crdPath}${apply}`, crd, 'application/apply-patch+yaml')
  try {
    await client.send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  } catch (error) {
    if (!isStatus(error, 409)) throw error
  }

  const child: ChildProcess = spawn(process.execPath, [path.join(root, 'operator', 'src', 'main.ts')], {
    env: overridden(completed(process.env, { CAPSTAN_LOG_LEVEL: 'error' }), {
      CAPSTAN_PLATFORM_NAMESPACE: namespace,
      CAPSTAN_INSTANCE_NAMESPACE: namespace,
      CAPSTAN_HEALTH_PORT: '0',
    }),
    stdio: ['ignore', 'inherit', 'inherit'],
    // Ctrl-C reaches only the platform, which then stops the operator last.
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
