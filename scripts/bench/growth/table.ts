/** What one size of a game took while it was played. */
export type Point = Readonly<{
  players: number
  submissions: number
  instances: number
  /** Calls a second that the players wanted, and that were answered. */
  wantedPerSecond: number
  answeredPerSecond: number
  p99Ms: number
  /** Processors in use, 1 = all of one. */
  apiCores: number
  databaseCores: number
  apiMb: number
  databaseMb: number
  statementsPerSecond: number
  connections: number
  bytesPerSecond: number
}>

/** What a part has before it is full. */
export type Capacity = Readonly<{
  databaseCores: number
  apiMb: number
  connections: number
  bytesPerSecond: number
}>

type Axis = 'players' | 'submissions' | 'instances'

const thousands = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
function whole(value: number): string {
  return thousands.format(value)
}
function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

/** The part that is used most of what it has, with its share. */
export function fullest(point: Point, capacity: Capacity): { part: string; share: number } {
  const shares = [
    { part: 'one api process: its processor', share: point.apiCores },
    { part: 'api memory', share: point.apiMb / capacity.apiMb },
    { part: 'PostgreSQL: its processors', share: point.databaseCores / capacity.databaseCores },
    { part: 'connections', share: point.connections / capacity.connections },
    { part: 'network', share: point.bytesPerSecond / capacity.bytesPerSecond },
  ]
  return shares.reduce((most, next) => (next.share > most.share ? next : most))
}

/** Markdown. */
function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The bytes that a player is sent in a minute, in kB, if as many are answered as want to be. */
function kilobytesPerPlayer(point: Point): number {
  return (((point.bytesPerSecond / point.answeredPerSecond) * point.wantedPerSecond) / point.players / 1024) * 60
}

export function growthTable(points: readonly Point[], capacity: Capacity): string {
  return tableOf(
    [
      ...[
        'Players',
        'Submissions',
        'Instances',
        'Calls/s',
        'p99',
        'api CPU',
        'PostgreSQL CPU',
        'api memory',
        'PostgreSQL memory',
      ],
      ...['Statements/s', 'Connections', 'kB per player and minute', 'Fullest part'],
    ],
    points.map((point) => {
      const { part, share } = fullest(point, capacity)
      const isShort = point.answeredPerSecond < point.wantedPerSecond * 0.9
      return [
        ...[point.players, point.submissions, point.instances].map(whole),
        `${whole(point.answeredPerSecond)}${isShort ? ` of ${whole(point.wantedPerSecond)}` : ''}`,
        `${whole(point.p99Ms)} ms`,
        ...[point.apiCores, point.databaseCores].map((cores) => cores.toFixed(2)),
        ...[point.apiMb, point.databaseMb].map((size) => `${whole(size)} MB`),
        ...[point.statementsPerSecond, point.connections, kilobytesPerPlayer(point)].map(whole),
        `${part}, ${percent(share)}`,
      ]
    }),
  )
}

/** What is watched along an axis, and why it may grow faster. `isTotal`: the sum grows with the axis at best; else it stays. */
const figures: readonly { name: string; of: (point: Point) => number; why: string }[] = [
  {
    name: 'api CPU',
    of: (point) => point.apiCores / point.answeredPerSecond,
    why: 'a changed board is built and written as a whole, and it is longer the more teams and solves there are',
  },
  {
    name: 'PostgreSQL CPU',
    of: (point) => point.databaseCores / point.answeredPerSecond,
    why: 'each rebuilt board and each solve reads rows of the whole game, and each connection has a process that looks at all of it',
  },
  {
    name: 'statements',
    of: (point) => point.statementsPerSecond / point.answeredPerSecond,
    why: 'more of what is asked is no longer in memory',
  },
  {
    name: 'bytes',
    of: (point) => point.bytesPerSecond / point.answeredPerSecond,
    why: 'clients that follow the board receive every solve: players x solves',
  },
]

/** Less than this is noise: the tenth power of ten between the ends of an axis. */
const noise = 0.1

/**
 * How a figure of one call grows along an axis, as the exponent between its ends: 0 stays, 1 doubles when the axis doubles. The calls
 * themselves grow with the players, so that more than 0 means faster than linear.
 */
export function exponentOf(points: readonly Point[], axis: Axis, of: (point: Point) => number): number {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || first[axis] === last[axis]) return 0
  return Math.log(of(last) / of(first)) / Math.log(last[axis] / first[axis])
}

/** Sentences on what one call costs more of, the larger the game. */
export function describeGrowth(axis: Axis, points: readonly Point[]): string[] {
  const grown = figures
    .map(({ name, of, why }) => ({ name, why, exponent: exponentOf(points, axis, of) }))
    .filter(({ exponent }) => exponent > noise)
  if (grown.length === 0) return [`- By ${axis}: nothing of a call grows.`]
  return grown.map(
    ({ name, why, exponent }) =>
      `- By ${axis}: ${name} of a call grows with the power ${exponent.toFixed(2)} of them, as ${why}.`,
  )
}

/** One, two and four processes of the api on one PostgreSQL. */
/** What some processes took while they were asked together. */
type Together = Readonly<{
  answeredPerSecond: number
  p99Ms: number
  /** Processors in use, 1 = all of one. */
  apiCores: number
  databaseCores: number
}>

export type Replicas = Readonly<{
  processes: number
  /** As many calls as they answer. */
  full: Together
  /** The same calls a second, however many processes share them. */
  steady: Together
  connections: number
}>

export function replicaTable(measured: readonly Replicas[]): string {
  const [first] = measured
  if (!first) return ''
  const perSecond = `${whole(first.steady.answeredPerSecond)} calls/s`
  return tableOf(
    ['api processes', `${perSecond}: api CPU`, 'PostgreSQL CPU', 'p99', 'Connections', 'At most on these processors', 'p99'],
    measured.map(({ processes, full, steady, connections }) => [
      String(processes),
      steady.apiCores.toFixed(2),
      steady.databaseCores.toFixed(2),
      `${whole(steady.p99Ms)} ms`,
      String(connections),
      `${whole(full.answeredPerSecond)} calls/s`,
      `${whole(full.p99Ms)} ms`,
    ]),
  )
}

/** What a replica adds, in words. @param cores processors of the machine, which all shared */
export function describeReplicas(measured: readonly Replicas[], cores: number): string {
  const [one, last] = [measured[0], measured.at(-1)]
  if (!one || !last || one === last) return ''
  const perSecond = whole(one.steady.answeredPerSecond)
  const added = Math.max(0, (last.steady.apiCores - one.steady.apiCores) / (last.processes - one.processes))
  const databaseMs = ((one.full.databaseCores / one.full.answeredPerSecond) * 1000).toFixed(2)
  const enough = Math.max(1, Math.floor((one.full.apiCores / one.full.databaseCores) * cores))
  const times = (last.full.answeredPerSecond / one.full.answeredPerSecond).toFixed(2)
  return `With each further process the same ${perSecond} calls a second cost ${added.toFixed(2)} processors more. Every process applies each change and builds the boards itself, and fewer calls share a statement. So one replica is the cheapest. Two survive the loss of a node, and more serve more players than one processor can. With dedicated processors each process adds the calls that one answers, until PostgreSQL is full: at ${databaseMs} ms a call, after ${enough} processes on ${cores} processors. Here all processes, PostgreSQL and the load shared ${cores} processors, which one api fills: at full load, ${last.processes} processes answered ${times} times as many calls as one.`
}

/** Hub connections of one gateway. */
export type Hub = Readonly<{
  clients: number
  messageCpu: string
  memory: string
}>

export function hubTable(measured: readonly Hub[]): string {
  return tableOf(
    ['Live pages', 'CPU of one message to all', 'gateway memory, and per page'],
    measured.map(({ clients, messageCpu, memory }) => [whole(clients), messageCpu, memory]),
  )
}

/** Half of a part stays free: for the minute in which everybody submits, and for a replica that is away. */
const used = 0.5
const gatewayClients = 5_000

/** What to begin with, by the points of the players. */
export function sizingTable(points: readonly Point[]): string {
  return tableOf(
    ['Players online', 'api', 'gateway', 'PostgreSQL', 'Network'],
    points.map((point) => {
      // A point that could not be answered in full is taken for as much as it asked for.
      const scale = Math.max(1, point.wantedPerSecond / point.answeredPerSecond)
      const replicas = Math.max(1, Math.ceil((point.apiCores * scale) / used))
      const cores = Math.max(1, Math.ceil((point.databaseCores * scale) / used))
      const megabits = (point.bytesPerSecond * scale * 8) / 1_000_000
      const gateways = Math.ceil(point.players / gatewayClients)
      return [
        whole(point.players),
        replicas === 1 ? '1' : `${replicas} × 1 core`,
        String(gateways),
        `${cores} ${cores === 1 ? 'core' : 'cores'}, ${Math.max(1, Math.ceil((point.databaseMb * 2) / 1024))} GB`,
        `${whole(Math.max(1, megabits))} Mbit/s`,
      ]
    }),
  )
}

const opening = '<!-- measured: growth -->'
const closing = '<!-- /measured -->'

/** Replaces what stands between the markers. @throws where they are not */
export function withMeasured(text: string, part: string): string {
  const [start, end] = [text.indexOf(opening), text.indexOf(closing)]
  if (start < 0 || end < start) throw new Error(`There are no markers ${opening} … ${closing}`)
  return `${text.slice(0, start + opening.length)}\n${part.trim()}\n${text.slice(end)}`
}
