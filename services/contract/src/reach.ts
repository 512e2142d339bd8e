import { type Static, Type } from 'typebox'
import { nullableInteger, nullableString, stringEnum } from './kit.ts'
import { InstanceLimits } from './limits.ts'

/** What a challenge speaks on its port. */
export const ChallengeSpeech = stringEnum(['tcp', 'http'])
export type ChallengeSpeech = Static<typeof ChallengeSpeech>

/** How a client comes to an instance through a gateway: by a host name, by TLS and its server name, by a port, by WebSocket. */
export const InstanceWay = stringEnum(['http', 'tls', 'tcp', 'websocket'])
export type InstanceWay = Static<typeof InstanceWay>

/** How clients reach the instances of a challenge, as organizers set it. */
export const ChallengeReach = Type.Object(
  {
    speaks: ChallengeSpeech,
    isRaw: Type.Boolean({
      description:
        'HTTP is handed over by bytes, however malformed: by TLS and by the port alone, for there a host is known without reading it.',
    }),
    hasOwnCertificate: Type.Boolean({ description: 'TLS passes through: the challenge ends it itself.' }),
    isGuarded: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'A page keeps strangers out: whoever brings no key of the instance gets no byte of it. For HTTP that the gateway reads; such an instance has no port.',
      }),
    ),
  },
  { title: 'ChallengeReach' },
)
export type ChallengeReach = Static<typeof ChallengeReach>

/** One way to an instance. */
export const InstanceAccess = Type.Object(
  {
    way: InstanceWay,
    address: Type.String({
      description:
        'What is opened or typed: an address of the web, `host:port`, or for `websocket` the path of the tunnel on the platform.',
    }),
    key: Type.Optional(
      Type.String({
        description:
          'Opens an instance that strangers are kept out of: in a link to `/.capstan/open?key=`, or in the header `Capstan-Key` of a request.',
      }),
    ),
    port: Type.Optional(
      Type.Integer({ description: 'Port of the container that it leads to, where that is another one than its entry.' }),
    ),
    isTls: Type.Optional(Type.Boolean({ description: 'Of `tcp`: the challenge speaks TLS there.' })),
  },
  { title: 'InstanceAccess' },
)
export type InstanceAccess = Static<typeof InstanceAccess>

/** How browsers reach the host names of instances; `off`: these lead nowhere. */
export const InstanceWeb = stringEnum(['off', 'http', 'https'])
export type InstanceWeb = Static<typeof InstanceWeb>

/** What this installation offers beside the terminal of the page, for organizers. */
export const ReachOffer = Type.Object(
  {
    isDirect: Type.Boolean({
      description: 'New instances are reached at addresses of their own, whatever their challenge speaks.',
    }),
    domain: nullableString({ description: 'Below it every instance has a host name. Null: there are no ways but WebSockets.' }),
    web: InstanceWeb,
    webPort: nullableInteger(),
    tlsPort: nullableInteger(),
    firstPort: nullableInteger({ description: 'Of the range of which each instance has one.' }),
    sharesSite: Type.Boolean({
      description: 'To browsers the pages of instances are of the same site as the platform: the domain should be another.',
    }),
  },
  { title: 'ReachOffer' },
)
export type ReachOffer = Static<typeof ReachOffer>

/** Whether a page can keep strangers out: HTTP that the gateway reads. */
export const canBeGuarded = ({ speaks, isRaw, hasOwnCertificate }: ChallengeReach): boolean =>
  speaks === 'http' && !isRaw && !hasOwnCertificate

/** What a link to an instance that strangers are kept out of begins with, below its host name. */
export const openingPath = '/.capstan/open'

/** Carries the key of an instance where a program has no cookies. */
export const keyHeader = 'capstan-key'

/** What a browser opens of a way of HTTP. */
export const openingAddress = ({ address, key }: InstanceAccess): string =>
  key === undefined ? address : `${address.replace(/\/$/, '')}${openingPath}?key=${key}`

/** Of a label of an instance. Each holds 5 random bits, and all of them do in a host name. */
export const labelAlphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** 100 bits. */
export const labelLength = 20

/** What a port of a container beside its entry speaks, where players are led to it. `isGuarded` is about the instance. */
export const OfferedPort = Type.Object(
  {
    port: Type.Integer({ minimum: InstanceLimits.portMin, maximum: InstanceLimits.portMax }),
    speaks: ChallengeSpeech,
    isRaw: Type.Optional(ChallengeReach.properties.isRaw),
    hasOwnCertificate: Type.Optional(ChallengeReach.properties.hasOwnCertificate),
  },
  { additionalProperties: false },
)
export type OfferedPort = Static<typeof OfferedPort>

export const reachOfPort = ({ speaks, isRaw = false, hasOwnCertificate = false }: OfferedPort): ChallengeReach => ({
  speaks,
  isRaw,
  hasOwnCertificate,
})

/**
 * Whom the first plain port of an instance is for, where that is not its entry: a browser needs none, and a program beside it that speaks
 * TCP has no other that `nc` can take. @returns the port of the container; undefined: the entry
 */
export const plainPortTarget = (challenge: ChallengeReach, offered: readonly OfferedPort[]): number | undefined =>
  canBeGuarded(challenge) && !challenge.isGuarded ? offered.find(({ speaks }) => speaks === 'tcp')?.port : undefined

/**
 * True if an instance gets a first plain port. Plain ports are public, so HTTP with a host name gets one only if its author asks for it, or
 * offers a TCP port beside it. Where strangers are kept out there is none.
 */
export const hasPlainPort = (
  challenge: ChallengeReach,
  offered: readonly OfferedPort[],
  { isAsked, hasHosts }: { readonly isAsked: boolean; readonly hasHosts: boolean },
): boolean =>
  !canBeGuarded(challenge) ||
  (challenge.isGuarded !== true && (isAsked || !hasHosts || plainPortTarget(challenge, offered) !== undefined))

/** Ports of the container that get a plain port of their own: the gateway does not read what they speak. None where strangers are kept out. */
export const furtherPlainPorts = (challenge: ChallengeReach, offered: readonly OfferedPort[]): readonly number[] => {
  if (challenge.isGuarded) return []
  const first = plainPortTarget(challenge, offered)
  return offered.filter((each) => each.port !== first && !canBeGuarded(reachOfPort(each))).map(({ port }) => port)
}

/** What stands before the domain in a host name: the label, and for a port beside the entry its number. */
export interface InstanceName {
  readonly label: string
  readonly port: number | undefined
}

export const instanceNameOf = ({ label, port }: InstanceName): string => (port === undefined ? label : `${label}-${port}`)

/** Undefined: no instance can have it. */
export const readInstanceName = (text: string): InstanceName | undefined => {
  const [, label, digits] = /^([a-z2-7]{20})(?:-([1-9][0-9]{0,4}))?$/.exec(text) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  return label === undefined || (port !== undefined && port > 65_535) ? undefined : { label, port }
}
