import { readFile } from 'node:fs/promises'
import type { RequestOptions } from 'node:https'

/** How to reach an API server, and as whom. */
export interface ApiAccess {
  server: URL
  /** Options of one request: headers that prove who we are, certificates, perhaps an agent of a proxy. Called for each request. */
  requestOptions(): Promise<RequestOptions>
}

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Kubelet renews a token long before it ends; reading the file once a minute is enough. */
const tokenFreshMs = 60_000

/** Access from within a pod, with its service account. Throws where the files are missing. */
export async function inClusterAccess(environment: NodeJS.ProcessEnv, folder = serviceAccountFolder): Promise<ApiAccess> {
  const host = environment.KUBERNETES_SERVICE_HOST
  if (!host) throw new Error('KUBERNETES_SERVICE_HOST is not set: not in a pod')
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
 * Access through a kubeconfig file (`KUBECONFIG`, else the usual place). The client library reads it, for it knows every way to
 * sign in; it is loaded only here, because it holds more memory than all the rest of an operator.
 * @throws Error with one sentence for a person where no kubeconfig names a cluster
 */
export async function kubeconfigAccess(): Promise<ApiAccess> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromDefault()
  const cluster = config.getCurrentCluster()
  // Without any kubeconfig the library falls back to this address, where nobody serves.
  if (!cluster || cluster.server === 'http://localhost:8080')
    throw new Error('There is no cluster: set KUBECONFIG to a kubeconfig with a current context')
  async function grant(): Promise<RequestOptions> {
    const options: RequestOptions = {}
    await config.applyToHTTPSOptions(options)
    // The library's plain agent opens a connection for each request; only one that goes through a proxy is worth having.
    if (cluster?.proxyUrl === undefined) delete options.agent
    return options
  }
  const user = config.getCurrentUser()
  const isLasting = user?.exec === undefined && user?.authProvider === undefined
  const lasting = isLasting ? await grant() : undefined
  return { server: new URL(cluster.server), requestOptions: async () => lasting ?? (await grant()) }
}

/** The service account where there is one, else the kubeconfig. `KUBECONFIG` wins over both. */
export const defaultAccess = (environment: NodeJS.ProcessEnv): Promise<ApiAccess> =>
  environment.KUBERNETES_SERVICE_HOST && !environment.KUBECONFIG ? inClusterAccess(environment) : kubeconfigAccess()
