import { assetsPath } from '@capstan/contract/asset-address'
import { behaviourNames } from './hostile-instance.ts'
import { domain, instanceId, type Listener, label } from './names.ts'
import type { Random } from './random.ts'

/** Bytes that a client sends on one connection, and how the client ends the connection. */
export type Sequence = Readonly<{
  listener: Listener
  pieces: readonly Buffer[]
  /** Delay before each piece except the first, in ms. If undefined, the piece is sent together with the previous piece. */
  pauses: readonly (number | undefined)[]
  ending: 'reset' | 'destroy' | 'half-close' | 'truncate' | 'wait'
  /** Moment when the client ends the connection: immediately, at the first received bytes, or after a number of ms. */
  leaves: 'at once' | 'at answer' | number
}>

const instanceHost = `${label}.${domain}`
const sites = ['site.test', instanceHost, `nothing.${domain}`, 'a..b', ''] as const
const upgradeHeaders =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

function pathOf(random: Random): string {
  return `/as-${random.pick(behaviourNames)}`
}

/** Returns a path that the platform serves itself, without an instance. */
function ownPath(random: Random): string {
  return random.pick([
    '/',
    '/hub/user?game=7',
    '/hub/monitor',
    '/hub/nothing',
    '/hub/user/negotiate?negotiateVersion=1',
    `/api/proxy/noinst/${instanceId}`,
    `/api/proxy/${instanceId}`,
    '/api/proxy/x',
    '/api/config',
    '/api/account/profile',
    `/api/admin/instances/${instanceId}/containers/challenge/terminal`,
    `${assetsPath}/x`,
    '/livez',
    '/metrics',
    '/nowhere',
  ])
}

function request(random: Random, first: string, headers = '', body = ''): string {
  const host = random.chance(0.7) ? instanceHost : random.pick(sites)
  return `${first} HTTP/1.${random.chance(0.95) ? 1 : 0}\r\nHost: ${host}\r\n${headers}\r\n${body}`
}

function target(random: Random): string {
  return random.chance(0.6) ? pathOf(random) : ownPath(random)
}

/** Returns a message of HTTP/1.1, which may be valid or invalid. */
function message(random: Random): string {
  switch (random.below(14)) {
    case 0:
    case 1:
    case 2:
      return request(random, `GET ${target(random)}`)
    case 3:
      return request(random, `POST ${target(random)}`, 'Content-Length: 4\r\n', 'body')
    case 4:
      return request(random, `POST ${target(random)}`, 'Transfer-Encoding: chunked\r\n', '4\r\nbody\r\n0\r\n\r\n')
    case 5:
    case 6:
      return request(
        random,
        `POST ${target(random)}`,
        'Expect: 100-continue\r\nContent-Length: 4\r\n',
        random.pick(['', 'body', 'bo']),
      )
    case 7:
    case 8:
    case 9:
      return request(random, `GET ${target(random)}`, upgradeHeaders, random.pick(['', '\x81\x80abcd', '\xff\xff']))
    case 10:
      return request(random, `${random.pick(['GET', 'POST'])} ${target(random)}`, 'Connection: Upgrade\r\nUpgrade: websocket\r\n')
    case 11:
      return request(
        random,
        `GET ${target(random)}`,
        'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAQ\r\n',
      )
    case 12:
      return random.pick([
        'CONNECT site.test:443 HTTP/1.1\r\nHost: site.test\r\n\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'GET\r\n\r\n',
        '\r\n\r\n',
        'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
      ])
    default:
      return request(
        random,
        `${random.pick(['HEAD', 'PUT', 'DELETE'])} ${target(random)}`,
        random.pick(['', 'Connection: close\r\n']),
      )
  }
}

/** Returns an HTTP/2 frame (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

function literal(name: string | number, value: string): Buffer {
  return typeof name === 'number'
    ? Buffer.concat([Buffer.from([name, value.length]), Buffer.from(value)])
    : Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)])
}

const http2Beginning = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0))])

/** Returns frames of HTTP/2: requests that expect 100 Continue, bodies, resets, pings, and invalid frames. */
function http2Pieces(random: Random): Buffer[] {
  const pieces: Buffer[] = [http2Beginning]
  let stream = 1
  for (let count = 1 + random.below(6); count > 0; count -= 1) {
    const expects = random.chance(0.4)
    const fields = [
      Buffer.from([expects ? 0x83 : 0x82, 0x87]),
      literal(0x41, random.chance(0.8) ? instanceHost : 'other.test'),
      literal(0x04, pathOf(random)),
      ...(expects ? [literal('expect', '100-continue')] : []),
    ]
    pieces.push(frame(1, 4 | (expects ? 0 : random.below(2)), stream, Buffer.concat(fields)))
    if (random.chance(0.5)) pieces.push(frame(0, random.below(2), stream, Buffer.from('body')))
    if (random.chance(0.5)) pieces.push(frame(3, 0, stream, Buffer.from([0, 0, 0, 8])))
    if (random.chance(0.1)) pieces.push(frame(6, 0, 0, Buffer.alloc(8)))
    if (random.chance(0.05)) pieces.push(frame(7, 0, 0, Buffer.alloc(8)))
    if (random.chance(0.05)) pieces.push(random.bytes(20))
    stream += 2
  }
  return pieces
}

function pieceOf(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/**
 * Returns pieces that resemble two sequences that once crashed a process. In the first sequence, an upgrade is refused
 * and then reset. In the second sequence, an upgrade follows a request whose response is unfinished.
 */
function aimed(random: Random): { pieces: Buffer[]; isReset: boolean } {
  const upgrade = (path: string, host: string) => pieceOf(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${upgradeHeaders}\r\n`)
  if (random.chance(0.6)) return { pieces: [upgrade(ownPath(random), 'site.test')], isReset: true }
  const first = pieceOf(`GET /as-${random.pick(['plain', 'slow', 'late'])} HTTP/1.1\r\nHost: ${instanceHost}\r\n\r\n`)
  return { pieces: [first, upgrade('/as-refuse', instanceHost)], isReset: false }
}

function messages(random: Random): Buffer[] {
  return Array.from({ length: 1 + random.below(4) }, () => pieceOf(message(random)))
}

export function makeFuzzSequence(random: Random): Sequence {
  const listener = random.pick<Listener>([
    'gateway',
    'gateway',
    'gateway',
    'secure',
    'http2',
    'plain',
    'pages',
    'pages',
    'api',
    'management',
  ])
  const special = random.chance(0.3) && listener !== 'http2' ? aimed(random) : undefined
  const whole = special?.pieces ?? (listener === 'http2' ? http2Pieces(random) : messages(random))
  const pieces = whole.flatMap((piece) => {
    if (special || random.chance(0.8)) return [piece]
    const cut = random.below(piece.length)
    return [piece.subarray(0, cut), piece.subarray(cut)]
  })
  const pauses = pieces.map(() => (special || random.chance(0.7) ? undefined : random.below(4)))
  const ending = special?.isReset
    ? 'reset'
    : random.pick<Sequence['ending']>(['reset', 'reset', 'destroy', 'half-close', 'truncate', 'wait'])
  const leaves = special?.isReset
    ? 'at once'
    : random.pick<Sequence['leaves']>(['at once', 'at answer', 'at answer', random.below(8)])
  return { listener, pieces, pauses, ending, leaves }
}
