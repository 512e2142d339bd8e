import { readFile } from 'node:fs/promises'
import type { RequestOptions } from 'node:https'

/** Address of an API server, and credentials. */
export interface ApiAccess {
  server: URL
  /**
   * Returns the options of a request: authentication headers, certificates, and the agent of a proxy if there is one.
   * The function is called for each request, because tokens change.
   */
  requestOptions(): Promise<RequestOptions>
}

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Maximum age of a cached token, in ms. The kubelet renews tokens much earlier than they expire. */
const tokenFreshMs = 60_000

/**
 * Returns access for a process in a pod, with the pod's service account.
 * @throws if the files are missing
 */
export async function readServiceAccountAccess(
  environment: NodeJS.ProcessEnv,
  folder = serviceAccountFolder,
): Promise<ApiAccess> {
  const host = environment.KUBERNETES_SERVICE_HOST
  if (!host) throw new Error('KUBERNETES_SERVICE_HOST is not set: this process does not run in a pod')
  const ca = await readFile(`${folder}/ca.crt`)
  let token = { text: '', readAtMs: Number.NEGATIVE_INFINITY }
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${environment.KUBERNETES_SERVICE_PORT ?? '443'}`),
    async requestOptions() {
      const nowMs = performance.now()
      if (nowMs - token.readAtMs > tokenFreshMs) {
        token = { text: (await readFile(`${folder}/token`, 'utf8')).trim(), readAtMs: nowMs }
      }
      return { ca, headers: { authorization: `Bearer ${token.text}` } }
    },
  }
}

/**
 * Returns access through a kubeconfig file (`KUBECONFIG`, or else the default location). The client library reads the file,
 * because it supports every sign-in method. The library needs much memory, so no other function loads it.
 * @throws Error with one sentence for people if no kubeconfig names a cluster
 */
export async function readKubeconfigAccess(): Promise<ApiAccess> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromDefault()
  const cluster = config.getCurrentCluster()
  // If there is no kubeconfig, the library returns this address, where no API server runs.
  if (!cluster || cluster.server === 'http://localhost:8080')
    throw new Error('There is no cluster: set KUBECONFIG to a kubeconfig with a current context')
  async function grant(): Promise<RequestOptions> {
    const options: RequestOptions = {}
    await config.applyToHTTPSOptions(options)
    // Use an agent only for a proxy. Without a proxy, the library sets an agent that opens a new connection for each request.
    if (cluster?.proxyUrl === undefined) delete options.agent
    return options
  }
  const user = config.getCurrentUser()
  const isLasting = user?.exec === undefined && user?.authProvider === undefined
  const lasting = isLasting ? await grant() : undefined
  return { server: new URL(cluster.server), requestOptions: async () => lasting ?? (await grant()) }
}

/**
 * Returns access with the service account if there is one, or else with the kubeconfig. If `KUBECONFIG` is set, its file is used
 * in any case.
 */
export function readDefaultAccess(environment: NodeJS.ProcessEnv): Promise<ApiAccess> {
  return environment.KUBERNETES_SERVICE_HOST && !environment.KUBECONFIG
    ? readServiceAccountAccess(environment)
    : readKubeconfigAccess()
}
