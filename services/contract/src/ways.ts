import { type ChallengeReach, canBeGuarded, type InstanceAccess, type ReachOffer } from './reach.ts'

export interface ReachedInstance {
  readonly id: string
  readonly label: string | null
  readonly gatewayPort: number | null
  readonly isTest: boolean
  /** What opens it, if its challenge keeps strangers out. */
  readonly key: string
}

/** Where gateways listen, as clients are told of them. */
export type OfferedWays = Pick<ReachOffer, 'domain' | 'web' | 'webPort' | 'tlsPort'>

const usualPorts = { http: 80, https: 443 } as const

const webAddress = (protocol: 'http' | 'https', host: string, port: number | null): string =>
  `${protocol}://${host}${port === null || port === usualPorts[protocol] ? '' : `:${port}`}/`

/**
 * The ways to an instance behind the gateways, the best one for what it speaks first. HTTP that the gateway must not read is told by TLS
 * or by the port, where the gateway knows the instance before the first byte; what strangers are kept out of, where it reads HTTP.
 */
export const listWays = (instance: ReachedInstance, challenge: ChallengeReach, offer: OfferedWays): InstanceAccess[] => {
  const { domain, web, webPort, tlsPort } = offer
  const tunnel: InstanceAccess = { way: 'websocket', address: `/api/proxy/${instance.isTest ? 'noinst/' : ''}${instance.id}` }
  if (domain === null) return [tunnel]
  const host = instance.label === null ? undefined : `${instance.label}.${domain}`
  if (challenge.isGuarded && canBeGuarded(challenge)) {
    const site = byHost() ?? byTls()
    return [...(site === undefined ? [] : [{ way: 'http', address: site, key: instance.key } as const]), tunnel]
  }
  const tls: InstanceAccess[] = host === undefined || tlsPort === null ? [] : [{ way: 'tls', address: `${host}:${tlsPort}` }]
  const tcp: InstanceAccess[] =
    instance.gatewayPort === null ? [] : [{ way: 'tcp', address: `${domain}:${instance.gatewayPort}` }]
  if (challenge.speaks === 'tcp') return [...tcp, ...tls, tunnel]
  const address = challenge.isRaw || challenge.hasOwnCertificate ? (byTls() ?? byPort()) : byHost()
  return [...(address === undefined ? [] : [{ way: 'http', address } as const]), ...tls, ...tcp, tunnel]

  function byHost(): string | undefined {
    return host === undefined || web === 'off' ? undefined : webAddress(web, host, webPort)
  }

  function byTls(): string | undefined {
    return host === undefined || tlsPort === null ? undefined : webAddress('https', host, tlsPort)
  }

  function byPort(): string | undefined {
    const protocol = challenge.hasOwnCertificate ? 'https' : 'http'
    return domain === null || instance.gatewayPort === null ? undefined : webAddress(protocol, domain, instance.gatewayPort)
  }
}

/** The same for whoever sees that an instance is there, which gives no right to connect: without its label, its UUID and its key. */
export const listWaysForAll = (instance: ReachedInstance, challenge: ChallengeReach, offer: OfferedWays): InstanceAccess[] =>
  listWays({ ...instance, label: instance.label && '*' }, challenge, offer).flatMap(({ way, address }) =>
    way === 'websocket' ? [] : [{ way, address }],
  )
