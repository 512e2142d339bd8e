import type { ChallengeSpeech, InstanceAccess } from '@capstan/contract/reach'
import type { WaysConfig } from '../config.ts'

export interface ReachedInstance {
  readonly id: string
  readonly label: string | null
  readonly gatewayPort: number | null
  readonly isTest: boolean
}

export interface ReachedChallenge {
  readonly speaks: ChallengeSpeech
  readonly isRawHttp: boolean
  readonly hasOwnCertificate: boolean
}

const usualPorts = { http: 80, https: 443 } as const

const webAddress = (protocol: 'http' | 'https', host: string, port: number | undefined): string =>
  `${protocol}://${host}${port === undefined || port === usualPorts[protocol] ? '' : `:${port}`}/`

/**
 * The ways to an instance behind the gateways, the best one for what it speaks first. HTTP that the gateway must not read is told by TLS
 * or by the port, where the gateway knows the instance before the first byte.
 */
export const listWays = (instance: ReachedInstance, challenge: ReachedChallenge, config: WaysConfig): InstanceAccess[] => {
  const { domain, web, webPort, tlsPort } = config
  const tunnel: InstanceAccess = { way: 'websocket', address: `/api/proxy/${instance.isTest ? 'noinst/' : ''}${instance.id}` }
  if (domain === undefined) return [tunnel]
  const host = instance.label === null ? undefined : `${instance.label}.${domain}`
  const tls: InstanceAccess[] = host === undefined || tlsPort === undefined ? [] : [{ way: 'tls', address: `${host}:${tlsPort}` }]
  const tcp: InstanceAccess[] =
    instance.gatewayPort === null ? [] : [{ way: 'tcp', address: `${domain}:${instance.gatewayPort}` }]
  if (challenge.speaks === 'tcp') return [...tcp, ...tls, tunnel]
  const address = challenge.isRawHttp || challenge.hasOwnCertificate ? byBytes() : byHost()
  return [...(address === undefined ? [] : [{ way: 'http', address } as const]), ...tls, ...tcp, tunnel]

  function byHost(): string | undefined {
    return host === undefined || web === 'off' ? undefined : webAddress(web, host, webPort)
  }

  function byBytes(): string | undefined {
    if (host !== undefined && tlsPort !== undefined) return webAddress('https', host, tlsPort)
    const protocol = challenge.hasOwnCertificate ? 'https' : 'http'
    return domain === undefined || instance.gatewayPort === null ? undefined : webAddress(protocol, domain, instance.gatewayPort)
  }
}
