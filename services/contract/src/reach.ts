import { type Static, Type } from 'typebox'
import { stringEnum } from './kit.ts'

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
  },
  { title: 'InstanceAccess' },
)
export type InstanceAccess = Static<typeof InstanceAccess>

/** Of a label of an instance. Each holds 5 random bits, and all of them do in a host name. */
export const labelAlphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** 100 bits. */
export const labelLength = 20

export const isInstanceLabel = (text: string): boolean => /^[a-z2-7]{20}$/.test(text)
