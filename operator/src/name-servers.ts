import type { Service } from '@capstan/kubernetes/built-in-kinds'
import type { NameServer, NameServers } from './challenge-instance/settings.ts'
import type { Config } from './config.ts'

/** Returns the name server behind a Service. @returns undefined if the Service does not exist or has no address yet */
function serverOf(service: Service | undefined, namespace: string): NameServer | undefined {
  const { clusterIP, selector, ports = [] } = service?.spec ?? {}
  const port = Number(ports[0]?.targetPort)
  if (clusterIP === undefined || selector === undefined || Number.isNaN(port)) return undefined
  return { address: clusterIP, source: { namespace, labels: selector }, port }
}

/** Returns the name servers that are available as Services in the platform's namespace. */
export function findNameServers(
  { names, platformNamespace }: Pick<Config, 'names' | 'platformNamespace'>,
  find: (name: string) => Service | undefined,
): NameServers {
  const closed = names.closed === undefined ? undefined : serverOf(find(names.closed), platformNamespace)
  const forwarding = names.forwarding === undefined ? undefined : serverOf(find(names.forwarding), platformNamespace)
  return { ...(closed && { closed }), ...(forwarding && { forwarding }) }
}
