import { ContainerLimits } from '@capstan/contract/limits'
import { nameOf } from '../tree.ts'
import { findJailedCommand, type JailedCommand, type ReadSibling, readNsjailConfig } from './command.ts'
import { type Instruction, parseDockerfile, wordsOfInstruction } from './dockerfile.ts'
import { type JailLimits, limitsOfJail } from './limits.ts'
import { findServerCommand } from './plain-server.ts'

/** Jail that challenge images are based on. */
export type JailName = 'pwn.red/jail' | 'kCTF' | 'nsjail'

export type JailConversion =
  | Readonly<{
      kind: 'converted'
      jail: JailName
      line: number
      dockerfile: string
      port: number
      /** Path where the program finds its flag. */
      flagFile?: string
      /** Limits that the image sets for the jail. */
      limits: JailLimits
      /** Notes about the conversion, as sentences. For example, a note describes a protection that the converted image lacks. */
      notes: readonly string[]
    }>
  | Readonly<{ kind: 'kept'; jail: JailName; line: number; why: string }>

const redpwnPort = 5_000
const kctfPort = 1_337
/**
 * Replacement for the base image of kCTF. If a jail has no separate root folder, its program uses files of the base image. The
 * replacement therefore contains the same files.
 */
const kctfBase = {
  image: 'ubuntu:24.04',
  lines: [
    'RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-pip socat wget netcat-openbsd ca-certificates \\',
    ' && rm -rf /var/lib/apt/lists/* && (userdel ubuntu || true) && useradd --no-create-home --uid 1000 user',
  ],
}

const listenerStage = 'capstan-listener'

/** Listener that includes its libraries, so that it runs on any base image. */
const listener = [
  `FROM debian:bookworm-slim AS ${listenerStage}`,
  'RUN apt-get update && apt-get install -y --no-install-recommends socat && rm -rf /var/lib/apt/lists/* \\',
  ' && mkdir -p /opt/capstan/lib && cp "$(command -v socat)" /opt/capstan/ \\',
  ` && ldd /opt/capstan/socat | awk '$3 ~ "^/" { print $3 } $1 ~ "^/" { print $1 }' | xargs -I{} cp -L {} /opt/capstan/lib/ \\`,
  ' && mv /opt/capstan/lib/ld-linux* /opt/capstan/loader',
]

type Stage = Readonly<{
  from: Instruction
  image: string
  name?: string
  body: readonly Instruction[]
}>

function stagesOf(instructions: readonly Instruction[]): { head: Instruction[]; stages: Stage[] } {
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

function shellText(rest: string): string {
  const words = rest.startsWith('[') ? wordsOfInstruction(rest) : []
  if (words.length === 3 && /(?:^|\/)(?:ba|da)?sh$/.test(words[0] ?? '') && words[1] === '-c') return words[2] ?? ''
  return words.length > 0 ? words.join(' ') : rest
}

/** Base image that contains and starts a jail. */
type VendoredBase = Readonly<{
  image: string
  /** Instructions that replace the base image. In the Dockerfile, they precede the instructions of the challenge. */
  lines: readonly string[]
  command: (environment: ReadonlyMap<string, string>, read: ReadSibling) => JailedCommand
}>

/** Returns a replacement for the base image of DownUnderCTF, in which the program sees the folder `/home/ctf/chal` as `/chal`. */
function vendoredBase(image: string): VendoredBase | undefined {
  const match = /(?:^|\/)docker-vendor\/nsjail(?::(ubuntu|debian)-([\d.]{1,8}))?(?:@|$)/.exec(image)
  if (match === null) return undefined
  const packages = 'python3 python3-pip python3-gmpy2 socat ca-certificates'
  return {
    image: match[1] === undefined ? 'ubuntu:22.04' : `${match[1]}:${match[2]}`,
    lines: [
      `RUN apt-get update && apt-get install -y --no-install-recommends ${packages} && rm -rf /var/lib/apt/lists/*`,
      'RUN useradd --system --create-home ctf && mkdir -p /home/ctf/chal && ln -s /home/ctf/chal /chal',
    ],
    command: (environment, read) => {
      const config = read('nsjail.cfg')
      const configured = config === undefined ? undefined : readNsjailConfig(config)
      const own = configured?.words.filter((word) => !word.startsWith('$')) ?? []
      const argument = environment.get('EXEC_ARG')
      const words = own.length > 0 ? own : [environment.get('EXEC_BIN') ?? '/chal/pwn', ...(argument ? [argument] : [])]
      const cwd = configured?.cwd?.startsWith('/') ? configured.cwd : (environment.get('JAIL_CWD') ?? '/')
      return { words, cwd, port: numberIn(environment.get('PORT'), kctfPort), isServer: false }
    },
  }
}

function numberIn(text: string | undefined, otherwise: number): number {
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : otherwise
}

function jailOf({ image, body }: Stage): JailName | undefined {
  if (/(?:^|\/)pwn\.red\/jail(?:$|[:@])/.test(image) || /(?:^|\/)redpwn\/jail(?:$|[:@])/.test(image)) return 'pwn.red/jail'
  if (/kctf-docker\/challenge/.test(image)) return 'kCTF'
  if (vendoredBase(image) !== undefined) return 'nsjail'
  return body.some(({ keyword, rest }) => ['CMD', 'ENTRYPOINT', 'RUN', 'COPY'].includes(keyword) && /\bnsjail\b/.test(rest))
    ? 'nsjail'
    : undefined
}

/** Returns the options, sources and destination of a COPY or ADD instruction. */
function copyOf({ rest }: Instruction): { options: string[]; sources: string[]; to: string } {
  const words = wordsOfInstruction(rest)
  const options = words.filter((word) => word.startsWith('--'))
  const paths = words.filter((word) => !word.startsWith('--'))
  return { options, sources: paths.slice(0, -1), to: paths.at(-1) ?? '' }
}

function isPath(path: string): boolean {
  return /^[\w@%+=.,/*?~${}:-]+$/.test(path)
}

/** @returns the path that a file of the image has inside the jail, or undefined if the file is outside of the jail */
function inside(path: string, root: string): string | undefined {
  if (root === '/') return path
  const whole = path.endsWith('/') ? path : `${path}/`
  if (!whole.startsWith(`${root}/`)) return undefined
  const rest = path.slice(root.length)
  return rest === '' ? '/' : rest
}

/** Converts a path in an instruction to an absolute path. A path that is not absolute is relative to WORKDIR. */
function absolute(path: string, workdir: string): string {
  if (path.startsWith('/')) return path
  const plain = path.replace(/^(?:\.\/)+/, '').replace(/^\.$/, '')
  return `${workdir === '/' ? '' : workdir}/${plain}`
}

/** Returns WORKDIR after an instruction that may change it. */
function nextWorkdir(workdir: string, { keyword, rest }: Pick<Instruction, 'keyword' | 'rest'>): string {
  if (keyword !== 'WORKDIR') return workdir
  const path = absolute(rest.replace(/^["']|["']$/g, ''), workdir)
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function isFlagFile(path: string): boolean {
  return /^[\w.-]+$/.test(nameOf(path)) && /flag/i.test(nameOf(path))
}

function findFlag(instructions: readonly Instruction[], root: string): string | undefined {
  let folder = '/'
  for (const instruction of instructions) {
    folder = nextWorkdir(folder, instruction)
    if (instruction.keyword !== 'COPY' && instruction.keyword !== 'ADD') continue
    const { sources, to, options } = copyOf(instruction)
    if (options.some((option) => option.startsWith('--from'))) continue
    const source = sources.find((path) => isFlagFile(path))
    if (source === undefined) continue
    const name = source.slice(source.lastIndexOf('/') + 1)
    const target = absolute(to, folder)
    // If the destination is an existing folder, COPY puts the file into this folder. Without a final slash, only the name shows
    // whether the destination is a folder.
    const isFolder = target.endsWith('/') || sources.length > 1 || !/flag|\./i.test(nameOf(target))
    const seen = inside(isFolder ? `${target.replace(/\/$/, '')}/${name}` : target, root)
    if (seen !== undefined && seen.length <= ContainerLimits.maxPathLength && /^\/[\w./-]+$/.test(seen)) return seen
  }
  return undefined
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/**
 * Returns the instruction that writes a script into the image. The instruction contains no here-document, because some builders do
 * not support here-documents.
 */
function writeScript(lines: readonly string[]): string {
  const write = `printf '%s\\n' ${lines.map(quoted).join(' ')} > /opt/capstan/run && chmod 755 /opt/capstan/run`
  return write.includes('\n') ? `RUN ${JSON.stringify(['/bin/sh', '-c', write])}` : `RUN ${write}`
}

/**
 * Returns the Dockerfile instructions that start the program: once if the program is a server, and otherwise once per connection.
 */
function serve(
  { words, isServer }: Pick<JailedCommand, 'words' | 'isServer'>,
  port: number,
): Readonly<{ script: readonly string[]; lines: readonly string[] }> {
  if (isServer) return { script: [], lines: ['ENTRYPOINT []', `CMD ${JSON.stringify(words)}`] }
  // If a word has a character with a special meaning in the addresses of socat, move the command into a script.
  const isPlain = words.every((word) => /^[\w@%+=./-]+$/.test(word))
  const command = isPlain ? words.join(' ') : '/opt/capstan/run'
  const start = ['/opt/capstan/loader', '--library-path', '/opt/capstan/lib', '/opt/capstan/socat', '-dd']
  const listen = [...start, `TCP-LISTEN:${port},reuseaddr,fork,max-children=256`, `EXEC:${command},stderr`]
  return {
    script: isPlain ? [] : [writeScript(['#!/bin/sh', `exec ${words.map(quoted).join(' ')}`])],
    lines: [`ENTRYPOINT ${JSON.stringify(listen)}`, 'CMD []'],
  }
}

function rawOf(instructions: readonly Instruction[]): string[] {
  return instructions.map(({ raw }) => raw)
}

const environmentNotes: Readonly<Record<string, string>> = {
  JAIL_TIME: 'Connections have no time limit.',
  JAIL_POW: 'Connections need no proof of work.',
  JAIL_CONNS: 'The gateway limits concurrent connections.',
  JAIL_CONNS_PER_IP: 'The gateway limits concurrent connections.',
  JAIL_PIDS: 'The pod limits the number of processes.',
  JAIL_SYSCALLS: 'System calls are filtered by the profile of the platform.',
  JAIL_TMP_SIZE: 'The program can write wherever its user can.',
  JAIL_DEV: 'Only the devices of the container are available.',
}

function environmentOf(stage: Stage): Map<string, string> {
  const found = new Map<string, string>()
  for (const { keyword, rest } of stage.body) {
    if (keyword !== 'ENV') continue
    const words = wordsOfInstruction(rest)
    if (words[0] !== undefined && !words[0].includes('=')) found.set(words[0], words.slice(1).join(' '))
    else
      for (const word of words)
        if (word.includes('=')) found.set(word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1))
  }
  return found
}

/** Returns those instructions of the last stage that fill the root folder of the jail. Their paths are adapted to that root. */
function moved(body: readonly Instruction[], root: string): { lines: string[]; image?: string; lost: string[] } {
  const lines: string[] = []
  const lost: string[] = []
  let image: string | undefined
  let workdir = '/'
  for (const instruction of body) {
    const { keyword, rest, raw } = instruction
    workdir = nextWorkdir(workdir, instruction)
    if (keyword === 'COPY' || keyword === 'ADD') {
      const { options, sources, to } = copyOf(instruction)
      const from = options.find((option) => option.startsWith('--from='))?.slice('--from='.length)
      const target = root === '/' ? to : inside(absolute(to, workdir), root)
      if (target === undefined) {
        if (!sources.every((path) => /nsjail|\.cfg$|drop_privs|hook/.test(path))) lost.push(to)
      } else if (target === '/' && from !== undefined && sources.length === 1 && sources[0] === '/' && image === undefined)
        image = from
      else if ([...sources, target].every(isPath)) lines.push([keyword, ...options, ...sources, target].join(' '))
      else lines.push(`${keyword} ${[...options, JSON.stringify([...sources, target])].join(' ')}`)
    } else if (keyword === 'RUN') {
      const seen = root === '/' ? rest : rest.replaceAll(`chroot ${root} `, '').replaceAll(`${root}/`, '/')
      // If WORKDIR is below the root folder of the jail, use its path relative to that root folder.
      const here = root === '/' ? undefined : inside(workdir, root)
      if (root === '/') lines.push(raw)
      else if (rest.includes('<<') || (seen === rest && here === undefined)) lost.push(`RUN ${rest.slice(0, 60)}`)
      else lines.push(here === undefined || here === '/' ? `RUN ${seen}` : `RUN cd ${here} && ${seen}`)
    } else if (['ARG', 'LABEL', 'SHELL'].includes(keyword) || (root === '/' && ['ENV', 'WORKDIR', 'VOLUME'].includes(keyword)))
      lines.push(raw)
  }
  return { lines, ...(image === undefined ? {} : { image }), lost }
}

/** Returns the variables that pwn.red/jail passes to its program. */
function handedOver(environment: ReadonlyMap<string, string>): string[] {
  return [...environment].flatMap(([name, value]) =>
    /^JAIL_ENV_\w{1,128}$/.test(name) ? [`ENV ${name.slice('JAIL_ENV_'.length)}=${JSON.stringify(value)}`] : [],
  )
}

/** Returns the commands of a script. Comments, quoted texts and here-documents are left out. */
function commandsOf(script: string): string[] {
  const commands: string[] = []
  let end: string | undefined
  for (const line of script
    .replace(/'[^']*'/g, 'text')
    .split('\n')
    .map((each) => each.trim())) {
    if (end !== undefined) {
      if (line === end) end = undefined
      continue
    }
    end = /<<-?[ \t]?["']?(\w{1,32})/.exec(line)?.[1]
    if (line !== '' && !line.startsWith('#')) commands.push(line)
  }
  return commands
}

/** True if a script only adds to the jail's configuration. */
function isOfJailAlone(script: string): boolean {
  return commandsOf(script).every((line) => /^(?:cat|echo|printf)\b[^;&|]*nsjail\.cfg/.test(line))
}

/** True if a jail runs in the background while another program runs in the foreground. */
function isBehindOther(command: string): boolean {
  const from = command.lastIndexOf('nsjail')
  const behind = from === -1 ? '' : command.slice(from).replaceAll('&&', ';')
  const at = behind.search(/(?<!>)&(?!>)/)
  return at !== -1 && /[\w/]/.test(behind.slice(at))
}

/**
 * Converts a jailed image into an image without the jail. A listener starts the jailed program for each connection, at the same
 * paths. The limits of the pod replace the limits of the jail.
 * @param read function that reads a file of the build folder
 * @param stated the port of the challenge, which is used if the jailed program itself listens on an unknown port
 * @returns undefined if the image has no jail
 */
export function convertJail(text: string, read: ReadSibling, stated?: number): JailConversion | undefined {
  const { head, stages } = stagesOf(parseDockerfile(text))
  const last = stages.at(-1)
  const jail = last && jailOf(last)
  if (last === undefined || jail === undefined) return undefined
  const { line } = last.from
  const unconverted = (why: string): JailConversion => ({ kind: 'kept', jail, line, why })
  const environment = environmentOf(last)
  const notes = new Set<string>()
  for (const name of environment.keys()) {
    const note = environmentNotes[name]
    if (note !== undefined) notes.add(note)
  }

  const vendored = vendoredBase(last.image)
  let root = '/'
  let command: JailedCommand
  if (jail === 'pwn.red/jail') {
    root = '/srv'
    const start = last.body.find(({ keyword }) => keyword === 'CMD' || keyword === 'ENTRYPOINT')
    if (start !== undefined && !/jail|run/.test(start.rest)) return unconverted('The image starts a program other than the jail.')
    const hook = last.body.find(
      ({ keyword, rest }) => (keyword === 'COPY' || keyword === 'ADD') && /\/jail(?:\/[\w.-]*)?$/.test(rest),
    )
    const script = hook && read(copyOf(hook).sources.find((path) => path.endsWith('.sh')) ?? '')
    if (hook !== undefined && (script === undefined || !isOfJailAlone(script)))
      return unconverted('A custom script runs outside of the jail.')
    if (hook !== undefined) notes.add('A script changed the configuration of the jail. These changes are not applied.')
    command = { words: ['/app/run'], cwd: '/app', port: numberIn(environment.get('JAIL_PORT'), redpwnPort), isServer: false }
  } else {
    const starts = last.body.filter(({ keyword }) => keyword === 'CMD' || keyword === 'ENTRYPOINT')
    const words = starts.flatMap(({ rest }) => wordsOfInstruction(rest))
    const text = starts.map(({ rest }) => shellText(rest)).join(' ')
    const server = jail === 'kCTF' ? findServerCommand(text, read) : undefined
    // If the jail runs in the background, the program in the foreground receives the connections.
    if (server === undefined && isBehindOther(text)) return unconverted('Another program accepts the connections for the jail.')
    const found = server ?? (vendored === undefined ? findJailedCommand(words, read) : vendored.command(environment, read))
    if (found === undefined)
      return unconverted(
        starts.length === 0
          ? 'The Dockerfile does not contain the start command.'
          : 'Neither the command nor the configuration of the jail names the program inside the jail.',
      )
    command = found
    const hasChroot = last.body.some(({ keyword, rest }) => keyword === 'COPY' && /\s\/chroot\/?$/.test(rest))
    if (server !== undefined) notes.add('The program already ran outside of the jail and is unchanged.')
    else if (found.root !== undefined) root = found.root.replace(/\/$/, '')
    else if (hasChroot) root = '/chroot'
    if (text.includes('kctf_pow')) notes.add('Connections need no proof of work.')
    if (words.some((word) => word === '&') && !command.isServer) notes.add('Programs that ran next to the jail are not started.')
  }

  const { lines, image: copied, lost } = moved(last.body, root)
  const filled = copied ?? (root === '/' ? undefined : stages.find(({ name }) => name === 'chroot')?.name)
  const ownBase = jail === 'kCTF' ? kctfBase.image : (vendored?.image ?? (jail === 'nsjail' ? last.image : undefined))
  const image = filled ?? ownBase
  const baseLines = filled !== undefined ? [] : jail === 'kCTF' ? kctfBase.lines : (vendored?.lines ?? [])
  if (image === undefined && lines.length === 0) return unconverted('No files are copied into the root of the jail.')
  for (const path of lost) notes.add(`\`${path}\` was outside of the jail and is left out.`)
  const port = command.port ?? (command.isServer ? stated : undefined) ?? kctfPort
  const base =
    image === undefined
      ? 'scratch'
      : /^\d+$/.test(image)
        ? (stages[Number(image)]?.name ?? stages[Number(image)]?.image ?? image)
        : image
  const flagFile = findFlag(last.body, root) ?? findFlag(stages.find(({ name }) => name === base)?.body ?? [], '/')
  const started = serve(command, port)
  const dockerfile = [
    '# syntax=docker/dockerfile:1',
    `# Generated from the Dockerfile in this folder, without ${jail}, because only one team uses the container.`,
    ...rawOf(head),
    ...stages.slice(0, -1).flatMap(({ from, body }) => [from.raw, ...rawOf(body)]),
    ...(command.isServer ? [] : listener),
    `FROM ${base}`,
    'USER 0:0',
    ...baseLines,
    ...lines,
    ...(jail === 'pwn.red/jail' ? handedOver(environment) : []),
    ...(command.isServer ? [] : [`COPY --from=${listenerStage} /opt/capstan /opt/capstan`]),
    ...(command.cwd === undefined || !isPath(command.cwd) ? [] : [`WORKDIR ${command.cwd}`]),
    ...started.script,
    'USER 1000:1000',
    `EXPOSE ${port}`,
    ...started.lines,
    '',
  ].join('\n')
  return {
    kind: 'converted',
    jail,
    line,
    dockerfile,
    port,
    ...(flagFile !== undefined && { flagFile }),
    limits: limitsOfJail(environment),
    notes: [...notes],
  }
}
