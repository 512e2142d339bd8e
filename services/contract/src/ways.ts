import {
  type ChallengeReach,
  canInstanceBeGuarded,
  type InstanceAccess,
  instanceNameOf,
  type OfferedPort,
  type ReachOffer,
  reachOfPort,
  targetOfFirstPlainPort,
} from './reach.ts'

export type ReachedInstance = Readonly<{
  id: string
  label: string | null
  gatewayPort: number | null
  /** Plain port of the gateways for each additional container port. The key of the map is the container port. */
  furtherGatewayPorts?: ReadonlyMap<number, number>
  isTest: boolean
  /** Access key, which is used only if the instance is guarded. */
  key: string
}>

/** Domain and ports under which clients connect to the gateways. */
export type OfferedWays = Pick<ReachOffer, 'domain' | 'web' | 'webPort' | 'tlsPort'>

const usualPorts = { http: 80, https: 443 } as const

function webAddress(protocol: 'http' | 'https', host: string, port: number | null): string {
  return `${protocol}://${host}${port === null || port === usualPorts[protocol] ? '' : `:${port}`}/`
}

/**
 * Returns the access methods of an instance behind the gateways, the most suitable first. If the gateway must not parse the HTTP,
 * the TLS server name or the port identifies the instance. A guarded instance has no access by plain TLS or TCP, because the
 * gateway finds the access key only in HTTP.
 * @param offered the additional container ports
 * @param entryLabel label that players see for the entry port
 */
export function listAccessMethods(
  instance: ReachedInstance,
  challenge: ChallengeReach,
  offer: OfferedWays,
  offered: readonly OfferedPort[] = [],
  entryLabel?: string,
): InstanceAccess[] {
  const { domain } = offer
  const { label, gatewayPort, furtherGatewayPorts, key } = instance
  const labelled = (access: InstanceAccess, text: string | undefined): InstanceAccess =>
    text === undefined ? access : { ...access, label: text }
  const path = `/api/proxy/${instance.isTest ? 'noinst/' : ''}${instance.id}`
  const tunnel = labelled({ way: 'websocket', address: path }, entryLabel)
  if (domain === null) return [tunnel]
  const isGuarded = challenge.isGuarded === true && canInstanceBeGuarded(challenge)
  const plain = targetOfFirstPlainPort(challenge, offered)
  const further = offered.flatMap((each) => {
    const { port, label: portLabel } = each
    const name = label === null ? undefined : instanceNameOf({ label, port })
    const reach = { ...reachOfPort(each), isGuarded }
    // Return no addresses for this port, because the gateway cannot find an access key in raw bytes.
    if (isGuarded && !canInstanceBeGuarded(reach)) return []
    const own = port === plain ? gatewayPort : (furtherGatewayPorts?.get(port) ?? null)
    return waysOfPort({ name, gatewayPort: own, key }, reach, { ...offer, domain }).map((access) =>
      labelled({ ...access, port }, portLabel),
    )
  })
  const entry = { name: label ?? undefined, gatewayPort: plain === undefined ? gatewayPort : null, key }
  const ways = waysOfPort(entry, challenge, { ...offer, domain }).map((access) => labelled(access, entryLabel))
  return [...ways, tunnel, ...further]
}

type ReachedPort = Readonly<{
  /** Returns the first label of the host name, or undefined if there is no host name. */
  name: string | undefined
  gatewayPort: number | null
  key: string
}>

function waysOfPort(
  { name, gatewayPort, key }: ReachedPort,
  challenge: ChallengeReach,
  { domain, web, webPort, tlsPort }: OfferedWays & { readonly domain: string },
): InstanceAccess[] {
  const host = name === undefined ? undefined : `${name}.${domain}`
  if (challenge.isGuarded && canInstanceBeGuarded(challenge)) {
    const site = byHost() ?? byTls()
    return site === undefined ? [] : [{ way: 'http', address: site, key }]
  }
  const tls: InstanceAccess[] = host === undefined || tlsPort === null ? [] : [{ way: 'tls', address: `${host}:${tlsPort}` }]
  const isTls = challenge.hasOwnCertificate
  const tcp: InstanceAccess[] =
    gatewayPort === null ? [] : [{ way: 'tcp', address: `${domain}:${gatewayPort}`, ...(isTls && { isTls }) }]
  if (challenge.speaks === 'tcp') return isTls ? [...tls, ...tcp] : [...tcp, ...tls]
  const address = challenge.isRaw || challenge.hasOwnCertificate ? (byTls() ?? byPort()) : byHost()
  return [...(address === undefined ? [] : [{ way: 'http', address } as const]), ...tls, ...tcp]

  function byHost(): string | undefined {
    return host === undefined || web === 'off' ? undefined : webAddress(web, host, webPort)
  }

  function byTls(): string | undefined {
    return host === undefined || tlsPort === null ? undefined : webAddress('https', host, tlsPort)
  }

  function byPort(): string | undefined {
    const protocol = challenge.hasOwnCertificate ? 'https' : 'http'
    return gatewayPort === null ? undefined : webAddress(protocol, domain, gatewayPort)
  }
}

/**
 * Returns the access methods for users who may see the instance but may not connect to it. The methods do not contain the label,
 * the UUID or the access key of the instance. The methods contain the plain ports of the instance, because these ports are
 * public.
 */
export function listPublicAccessMethods(
  instance: ReachedInstance,
  challenge: ChallengeReach,
  offer: OfferedWays,
  offered: readonly OfferedPort[] = [],
): InstanceAccess[] {
  return listAccessMethods({ ...instance, label: instance.label && '*' }, challenge, offer, offered).flatMap(
    ({ way, address, port }) => (way === 'websocket' ? [] : [{ way, address, ...(port !== undefined && { port }) }]),
  )
}
