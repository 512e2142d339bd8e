import { nameOf } from '../tree.ts'
import { type JailedCommand, jailedCommand, type ReadBeside } from './command.ts'
import { type Instruction, parseDockerfile, wordsOf } from './dockerfile.ts'

/** A jail that images of challenges are built on. */
export type JailName = 'pwn.red/jail' | 'kCTF' | 'nsjail'

export type JailConversion =
  | {
      readonly kind: 'converted'
      readonly jail: JailName
      /** Line of the Dockerfile that names the jail. */
      readonly line: number
      readonly dockerfile: string
      readonly port: number
      /** Where the jailed program finds its flag. */
      readonly flagFile?: string
      /** What the jail did and nothing does now; each a sentence. */
      readonly notes: readonly string[]
    }
  | { readonly kind: 'kept'; readonly jail: JailName; readonly line: number; readonly why: string }

const redpwnPort = 5_000
const kctfPort = 1_337
const listenerStage = 'capstan-listener'

/** The listener with the libraries that it needs, so that it runs on whatever the challenge is built on. */
const listener = [
  `FROM debian:bookworm-slim AS ${listenerStage}`,
  'RUN apt-get update && apt-get install -y --no-install-recommends socat && rm -rf /var/lib/apt/lists/* \\',
  ' && mkdir -p /opt/capstan/lib && cp "$(command -v socat)" /opt/capstan/ \\',
  ` && ldd /opt/capstan/socat | awk '$3 ~ "^/" { print $3 } $1 ~ "^/" { print $1 }' | xargs -I{} cp -L {} /opt/capstan/lib/ \\`,
  ' && mv /opt/capstan/lib/ld-linux* /opt/capstan/loader',
]

interface Stage {
  readonly from: Instruction
  readonly image: string
  readonly name?: string
  readonly body: readonly Instruction[]
}

const stagesOf = (instructions: readonly Instruction[]): { head: Instruction[]; stages: Stage[] } => {
  const first = instructions.findIndex(({ keyword }) => keyword === 'FROM')
  const stages: { from: Instruction; image: string; name?: string; body: Instruction[] }[] = []
  for (const instruction of instructions.slice(Math.max(0, first))) {
    if (instruction.keyword !== 'FROM') {
      stages.at(-1)?.body.push(instruction)
      continue
    }
    const words = instruction.rest.split(/\s+/).filter((word) => !word.startsWith('--'))
    const name = words[1]?.toLowerCase() === 'as' ? words[2] : undefined
    stages.push({ from: instruction, image: words[0] ?? '', ...(name === undefined ? {} : { name }), body: [] })
  }
  return { head: instructions.slice(0, Math.max(0, first)), stages }
}

const jailOf = ({ image, body }: Stage): JailName | undefined => {
  if (/(?:^|\/)pwn\.red\/jail(?:$|[:@])/.test(image) || /(?:^|\/)redpwn\/jail(?:$|[:@])/.test(image)) return 'pwn.red/jail'
  if (/kctf-docker\/challenge/.test(image)) return 'kCTF'
  return body.some(({ keyword, rest }) => ['CMD', 'ENTRYPOINT', 'RUN', 'COPY'].includes(keyword) && /\bnsjail\b/.test(rest))
    ? 'nsjail'
    : undefined
}

/** Options, sources and destination of COPY and ADD. */
const copyOf = ({ rest }: Instruction): { options: string[]; sources: string[]; to: string } => {
  const words = wordsOf(rest)
  const options = words.filter((word) => word.startsWith('--'))
  const paths = words.filter((word) => !word.startsWith('--'))
  return { options, sources: paths.slice(0, -1), to: paths.at(-1) ?? '' }
}

const isPath = (path: string): boolean => /^[\w@%+=.,/*?~${}:-]+$/.test(path)

/** A path of the image as the jailed program sees it; undefined where it does not. */
const inside = (path: string, root: string): string | undefined => {
  if (root === '/') return path
  const whole = path.endsWith('/') ? path : `${path}/`
  if (!whole.startsWith(`${root}/`)) return undefined
  const rest = path.slice(root.length)
  return rest === '' ? '/' : rest
}

const isFlagFile = (path: string): boolean => /^[\w.-]+$/.test(nameOf(path)) && /flag/i.test(nameOf(path))

const findFlag = (instructions: readonly Instruction[], root: string, workdir: string): string | undefined => {
  for (const instruction of instructions) {
    if (instruction.keyword !== 'COPY' && instruction.keyword !== 'ADD') continue
    const { sources, to, options } = copyOf(instruction)
    if (options.some((option) => option.startsWith('--from'))) continue
    const source = sources.find((path) => isFlagFile(path))
    if (source === undefined) continue
    const name = source.slice(source.lastIndexOf('/') + 1)
    const whole = to.endsWith('/') || to === '.' ? `${to === '.' ? '' : to}${to === '.' ? '/' : ''}${name}` : to
    const absolute = whole.startsWith('/') && to !== '.' ? whole : `${workdir.replace(/\/$/, '')}/${whole.replace(/^\.?\//, '')}`
    const seen = inside(absolute, root)
    if (seen !== undefined && /^\/[\w./-]+$/.test(seen)) return seen
  }
  return undefined
}

/** The start of a server, or of the listener that starts a program for each connection. */
const serve = ({ words, isServer }: Pick<JailedCommand, 'words' | 'isServer'>, port: number): string[] => {
  if (isServer) return ['ENTRYPOINT []', `CMD ${JSON.stringify(words)}`]
  // Characters that the listener's addresses give a meaning stand in a script.
  const isPlain = words.every((word) => /^[\w@%+=./-]+$/.test(word))
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const script = isPlain ? [] : ["COPY --chmod=755 <<'CAPSTAN' /opt/capstan/run", '#!/bin/sh', `exec ${quoted}`, 'CAPSTAN']
  const command = isPlain ? words.join(' ') : '/opt/capstan/run'
  const start = ['/opt/capstan/loader', '--library-path', '/opt/capstan/lib', '/opt/capstan/socat', '-dd']
  return [
    ...script,
    `ENTRYPOINT ${JSON.stringify([...start, `TCP-LISTEN:${port},reuseaddr,fork,max-children=256`, `EXEC:${command},stderr`])}`,
    'CMD []',
  ]
}

const rawOf = (instructions: readonly Instruction[]): string[] => instructions.map(({ raw }) => raw)

const environmentNotes: Readonly<Record<string, string>> = {
  JAIL_TIME: 'Connections are not ended after a time.',
  JAIL_POW: 'Visitors prove no work before they connect.',
  JAIL_CONNS: 'How many connect at once is a limit of the gateway.',
  JAIL_CONNS_PER_IP: 'How many connect at once is a limit of the gateway.',
  JAIL_PIDS: 'How many processes there are is a limit of the pod.',
  JAIL_MEM: 'Memory is a limit of the pod, for all connections together: set `container.memoryMb`.',
  JAIL_CPU: 'CPU is a limit of the pod: set `container.cpu`.',
  JAIL_SYSCALLS: 'System calls are filtered by the profile of the platform.',
  JAIL_TMP_SIZE: 'The program may write where its user may.',
  JAIL_DEV: 'Devices are those of the container.',
}

const environmentOf = (stage: Stage): Map<string, string> => {
  const found = new Map<string, string>()
  for (const { keyword, rest } of stage.body) {
    if (keyword !== 'ENV') continue
    const words = wordsOf(rest)
    if (words[0] !== undefined && !words[0].includes('=')) found.set(words[0], words.slice(1).join(' '))
    else
      for (const word of words)
        if (word.includes('=')) found.set(word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1))
  }
  return found
}

/** The part of the last stage that fills the root of the jail, as instructions for that root. */
const moved = (body: readonly Instruction[], root: string): { lines: string[]; image?: string; lost: string[] } => {
  const lines: string[] = []
  const lost: string[] = []
  let image: string | undefined
  for (const { keyword, rest, raw } of body) {
    if (keyword === 'COPY' || keyword === 'ADD') {
      const { options, sources, to } = copyOf({ keyword, rest, raw, line: 0 })
      const from = options.find((option) => option.startsWith('--from='))?.slice('--from='.length)
      const target = inside(to, root)
      if (target === undefined) {
        if (root !== '/' && !sources.every((path) => /nsjail|\.cfg$|drop_privs/.test(path))) lost.push(to)
      } else if (target === '/' && from !== undefined && sources.length === 1 && sources[0] === '/' && image === undefined)
        image = from
      else if ([...sources, target].every(isPath)) lines.push([keyword, ...options, ...sources, target].join(' '))
      else lines.push(`${keyword} ${[...options, JSON.stringify([...sources, target])].join(' ')}`)
    } else if (keyword === 'RUN') {
      if (root === '/') lines.push(raw)
      else if (rest.includes(`${root}/`) && !rest.includes('<<')) lines.push(`RUN ${rest.replaceAll(`${root}/`, '/')}`)
    } else if (['ARG', 'LABEL', 'SHELL'].includes(keyword) || (root === '/' && ['ENV', 'WORKDIR', 'VOLUME'].includes(keyword)))
      lines.push(raw)
  }
  return { lines, ...(image === undefined ? {} : { image }), lost }
}

const numberIn = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : otherwise

/**
 * An image that is built on a jail as one without: the program that the jail ran, at the paths that it saw, started by a listener for
 * each connection. Its limits are those of the pod.
 *
 * @param read a file of the folder that is built
 * @returns undefined for an image without a jail
 */
export const convertJail = (text: string, read: ReadBeside): JailConversion | undefined => {
  const { head, stages } = stagesOf(parseDockerfile(text))
  const last = stages.at(-1)
  const jail = last && jailOf(last)
  if (last === undefined || jail === undefined) return undefined
  const { line } = last.from
  const kept = (why: string): JailConversion => ({ kind: 'kept', jail, line, why })
  const environment = environmentOf(last)
  const notes = new Set<string>()
  for (const name of environment.keys()) {
    const note = environmentNotes[name]
    if (note !== undefined) notes.add(note)
  }

  let root = '/'
  let command: JailedCommand
  if (jail === 'pwn.red/jail') {
    root = '/srv'
    const start = last.body.find(({ keyword }) => keyword === 'CMD' || keyword === 'ENTRYPOINT')
    if (start !== undefined && !/jail|run/.test(start.rest)) return kept('It starts another program than the jail.')
    if (last.body.some(({ keyword, rest }) => (keyword === 'COPY' || keyword === 'ADD') && /\/jail\/[\w.-]*$/.test(rest)))
      return kept('A script of its own prepares each connection outside of the jail.')
    command = { words: ['/app/run'], cwd: '/app', port: numberIn(environment.get('JAIL_PORT'), redpwnPort), isServer: false }
  } else {
    const starts = last.body.filter(({ keyword }) => keyword === 'CMD' || keyword === 'ENTRYPOINT')
    const words = starts.flatMap(({ rest }) => wordsOf(rest))
    const found = jailedCommand(words, read)
    if (found === undefined)
      return kept(
        starts.length === 0
          ? 'It does not say what it starts.'
          : 'What runs in the jail is neither in its command nor in the configuration of the jail.',
      )
    command = found
    const hasChroot = last.body.some(({ keyword, rest }) => keyword === 'COPY' && /\s\/chroot\/?$/.test(rest))
    if (found.root !== undefined) root = found.root.replace(/\/$/, '')
    else if (hasChroot) root = '/chroot'
    if (words.includes('kctf_pow') || /kctf_pow/.test(words.join(' '))) notes.add('Visitors prove no work before they connect.')
    if (words.some((word) => word === '&') && !command.isServer) notes.add('Programs that ran beside the jail are not started.')
  }

  const { lines, image: copied, lost } = moved(last.body, root)
  const filled = copied ?? (root === '/' ? undefined : stages.find(({ name }) => name === 'chroot')?.name)
  const image = filled ?? (jail === 'kCTF' ? 'ubuntu:24.04' : jail === 'nsjail' ? last.image : undefined)
  if (image === undefined && lines.length === 0) return kept('Nothing is copied into the root of the jail.')
  for (const path of lost) notes.add(`\`${path}\` lay outside of the jail and is left out.`)
  const port = command.port ?? kctfPort
  const base =
    image === undefined
      ? 'scratch'
      : /^\d+$/.test(image)
        ? (stages[Number(image)]?.name ?? stages[Number(image)]?.image ?? image)
        : image
  const workdir = stages.find(({ name }) => name === base)?.body.findLast(({ keyword }) => keyword === 'WORKDIR')?.rest ?? '/'
  const flagFile = findFlag(last.body, root, '/') ?? findFlag(stages.find(({ name }) => name === base)?.body ?? [], '/', workdir)
  const dockerfile = [
    '# syntax=docker/dockerfile:1',
    `# Made from the Dockerfile beside it, without ${jail}: one team alone uses the container.`,
    ...rawOf(head),
    ...stages.slice(0, -1).flatMap(({ from, body }) => [from.raw, ...rawOf(body)]),
    ...(command.isServer ? [] : listener),
    `FROM ${base}`,
    'USER 0:0',
    ...lines,
    ...(command.isServer ? [] : [`COPY --from=${listenerStage} /opt/capstan /opt/capstan`]),
    ...(command.cwd === undefined || !isPath(command.cwd) ? [] : [`WORKDIR ${command.cwd}`]),
    'USER 1000:1000',
    `EXPOSE ${port}`,
    ...serve(command, port),
    '',
  ].join('\n')
  return { kind: 'converted', jail, line, dockerfile, port, ...(flagFile === undefined ? {} : { flagFile }), notes: [...notes] }
}
