import { readFile } from 'node:fs/promises'
import type { RequestOptions } from 'node:https'

/** How to reach an API server, and as whom. */
export interface KubernetesAccess {
  readonly server: URL
  /** What proves who we are, for one request. */
  requestOptions(): Promise<RequestOptions>
}

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Kubelet renews the token long before it ends. */
const tokenFreshMs = 60_000

/** As the pod's service account. @throws when the files are missing */
const inClusterAccess = async (host: string, port: string): Promise<KubernetesAccess> => {
  const ca = await readFile(`${serviceAccountFolder}/ca.crt`)
  let token: { readonly text: string; readonly readAtMs: number } | undefined
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    async requestOptions() {
      const nowMs = performance.now()
      if (!token || nowMs - token.readAtMs > tokenFreshMs)
        token = { text: (await readFile(`${serviceAccountFolder}/token`, 'utf8')).trim(), readAtMs: nowMs }
      return { ca, headers: { authorization: `Bearer ${token.text}` } }
    },
  }
}

/**
 * Through the current kubeconfig. Kubernetes' own library reads it, as it knows every way to sign in; it is loaded only here,
 * because it holds more memory than the rest of the api. @throws Error with one sentence when there is none
 */
const kubeconfigAccess = async (): Promise<KubernetesAccess> => {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromDefault()
  const cluster = config.getCurrentCluster()
  // Without any kubeconfig the library falls back to this address, where nobody serves.
  if (!cluster || cluster.server === 'http://localhost:8080')
    throw new Error('There is no cluster to run instances in: set KUBECONFIG to a kubeconfig with a current context')
  return {
    server: new URL(cluster.server),
    async requestOptions() {
      const options: RequestOptions = {}
      await config.applyToHTTPSOptions(options)
      // The library's plain agent opens a connection for each request; only one that goes through a proxy is worth having.
      if (cluster.proxyUrl === undefined) delete options.agent
      return options
    },
  }
}

/** `KUBECONFIG` first, then the service account of the pod, then the usual kubeconfig. */
export const findKubernetesAccess = (environment: NodeJS.ProcessEnv): Promise<KubernetesAccess> => {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443', KUBECONFIG: file } = environment
  return host && !file ? inClusterAccess(host, port) : kubeconfigAccess()
}
