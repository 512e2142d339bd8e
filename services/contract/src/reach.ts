import { type Static, Type } from 'typebox'
import { nullableInteger, nullableString, stringEnum } from './kit.ts'
import { ContainerLimits, InstanceLimits } from './limits.ts'

/** Protocol of a challenge's port. */
export const ChallengeSpeech = stringEnum(['tcp', 'http'])
export type ChallengeSpeech = Static<typeof ChallengeSpeech>

/** Method to connect to an instance through a gateway: by host name, by TLS with server name, by port, or by WebSocket. */
export const InstanceWay = stringEnum(['http', 'tls', 'tcp', 'websocket'])
export type InstanceWay = Static<typeof InstanceWay>

/** Settings that determine how clients connect to the instances of a challenge. */
export const ChallengeReach = Type.Object(
  {
    speaks: ChallengeSpeech,
    isRaw: Type.Boolean({
      description:
        'True if the gateway passes HTTP on without parsing it. Players then reach it by TLS or port, which need no Host header.',
    }),
    hasOwnCertificate: Type.Boolean({ description: 'True if the challenge terminates TLS itself.' }),
    isGuarded: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'True if only clients with the key of the instance reach it. Only for HTTP that the gateway parses. Such an instance has no port.',
      }),
    ),
  },
  { title: 'ChallengeReach' },
)
export type ChallengeReach = Static<typeof ChallengeReach>

export const InstanceAccess = Type.Object(
  {
    way: InstanceWay,
    address: Type.String({
      description: 'URL or `host:port`; for `websocket` the path of the tunnel on the platform.',
    }),
    key: Type.Optional(
      Type.String({
        description: 'Key of a guarded instance, for the link `/.capstan/open?key=` or the request header `Capstan-Key`.',
      }),
    ),
    port: Type.Optional(Type.Integer({ description: 'Port of the container, unless it is the entry port.' })),
    isTls: Type.Optional(Type.Boolean({ description: 'True if the challenge speaks TLS on this port. Only for `tcp`.' })),
    label: Type.Optional(Type.String({ description: 'Label of the port, from the author of the challenge.' })),
  },
  { title: 'InstanceAccess' },
)
export type InstanceAccess = Static<typeof InstanceAccess>

/**
 * Protocol with which browsers connect to the host names of instances. `off` means that browsers cannot connect to instances by
 * host name.
 */
export const InstanceWeb = stringEnum(['off', 'http', 'https'])
export type InstanceWeb = Static<typeof InstanceWeb>

/** Kinds of addresses at which this installation offers instances, in addition to WebSockets. Organizers see this information. */
export const ReachOffer = Type.Object(
  {
    isDirect: Type.Boolean({
      description: 'True if every new instance gets its own address.',
    }),
    domain: nullableString({
      description: 'Parent domain of the host names of instances. Null if instances are reached only by WebSocket.',
    }),
    web: InstanceWeb,
    webPort: nullableInteger(),
    tlsPort: nullableInteger(),
    firstPort: nullableInteger({ description: 'First port of the range for instances.' }),
    sharesSite: Type.Boolean({
      description: 'True if browsers treat instances and the platform as one site. Use another domain in this case.',
    }),
  },
  { title: 'ReachOffer' },
)
export type ReachOffer = Static<typeof ReachOffer>

/**
 * True if an access key can protect the instance. The gateway checks the key, so it must be able to parse the instance's HTTP.
 */
export function canInstanceBeGuarded({ speaks, isRaw, hasOwnCertificate }: ChallengeReach): boolean {
  return speaks === 'http' && !isRaw && !hasOwnCertificate
}

/** Path of the link that gives a browser access to a guarded instance. The path is on the host name of the instance. */
export const openingPath = '/.capstan/open'

/** Header with the access key of an instance, for programs that store no cookies. */
export const keyHeader = 'capstan-key'

/** Returns the URL that a browser opens to connect to an instance over HTTP. */
export function browserUrlOf({ address, key }: InstanceAccess): string {
  return key === undefined ? address : `${address.replace(/\/$/, '')}${openingPath}?key=${key}`
}

/** Alphabet of instance labels. Each character has 5 random bits and is valid in host names. */
export const labelAlphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Length of an instance label. Its 100 random bits cannot be guessed. */
export const labelLength = 20

/** Pattern that matches the labels of ports. A label is one line that neither begins nor ends with a space. */
export const portLabelPattern = '^[^\\s\\u0000-\\u001f\\u007f](?:[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f])?$'

export const PortLabel = Type.String({
  pattern: portLabelPattern,
  maxLength: ContainerLimits.maxPortLabelLength,
  description: 'Label of the port for players, such as `Admin page`.',
})

/**
 * Additional port of a container that players may use, with its protocol. It has no field `isGuarded`, because an access key
 * protects either all ports of an instance or none.
 */
export const OfferedPort = Type.Object(
  {
    port: Type.Integer({ minimum: InstanceLimits.minPort, maximum: InstanceLimits.maxPort }),
    speaks: ChallengeSpeech,
    isRaw: Type.Optional(ChallengeReach.properties.isRaw),
    hasOwnCertificate: Type.Optional(ChallengeReach.properties.hasOwnCertificate),
    label: Type.Optional(PortLabel),
  },
  { additionalProperties: false },
)
export type OfferedPort = Static<typeof OfferedPort>

export function reachOfPort({ speaks, isRaw = false, hasOwnCertificate = false }: OfferedPort): ChallengeReach {
  return {
    speaks,
    isRaw,
    hasOwnCertificate,
  }
}

/**
 * Returns the additional container port to which the first plain port forwards.
 * @returns undefined if the first plain port forwards to the entry port, or if the instance is guarded
 */
export function targetOfFirstPlainPort(challenge: ChallengeReach, offered: readonly OfferedPort[]): number | undefined {
  return canInstanceBeGuarded(challenge) && !challenge.isGuarded
    ? offered.find(({ speaks }) => speaks === 'tcp')?.port
    : undefined
}

/**
 * True if an instance gets at least one plain port. A plain port is a port of the gateway that forwards all bytes. Plain ports
 * are public, so guarded instances have no plain ports. An instance with a host name for browsers gets a plain port only on
 * request or for an offered TCP port.
 */
export function hasPlainPort(
  challenge: ChallengeReach,
  offered: readonly OfferedPort[],
  { isAsked, hasHosts }: Readonly<{ isAsked: boolean; hasHosts: boolean }>,
): boolean {
  return (
    !canInstanceBeGuarded(challenge) ||
    (challenge.isGuarded !== true && (isAsked || !hasHosts || targetOfFirstPlainPort(challenge, offered) !== undefined))
  )
}

/** Returns each container port for which the gateway opens an additional plain TCP port. */
export function listAdditionalPlainPorts(challenge: ChallengeReach, offered: readonly OfferedPort[]): readonly number[] {
  if (challenge.isGuarded) return []
  const first = targetOfFirstPlainPort(challenge, offered)
  return offered.filter((each) => each.port !== first && !canInstanceBeGuarded(reachOfPort(each))).map(({ port }) => port)
}

/**
 * First label of an instance's host name. It consists of the instance label and, for an additional port, the number of the port.
 */
export type InstanceName = Readonly<{
  label: string
  port: number | undefined
}>

export function instanceNameOf({ label, port }: InstanceName): string {
  return port === undefined ? label : `${label}-${port}`
}

/**
 * Parses the first label of a host name.
 * @returns undefined if no instance can have this label
 */
export function parseInstanceName(text: string): InstanceName | undefined {
  const [, label, digits] = /^([a-z2-7]{20})(?:-([1-9][0-9]{0,4}))?$/.exec(text) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  return label === undefined || (port !== undefined && port > 65_535) ? undefined : { label, port }
}
