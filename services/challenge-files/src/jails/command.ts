import { splitShellWords } from './dockerfile.ts'

/** Program that a jail runs for each connection. */
export type JailedCommand = Readonly<{
  words: readonly string[]
  port?: number
  cwd?: string
  /** True if the program itself listens on the port. */
  isServer: boolean
  /** Folder of the image that is the root folder inside the jail. */
  root?: string
}>

/** Reads a file of the build folder by the end of its path. @returns undefined if there is no such file */
export type ReadSibling = (path: string) => string | undefined

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

const fields = { path: /(?:^|[\s{])path ?:? ?"([^"\n]*)"/, cwd: /(?:^|[\s{])cwd ?:? ?"([^"\n]*)"/ }
function field(text: string, name: keyof typeof fields): string | undefined {
  return fields[name].exec(text)?.[1]
}

type Configured = Readonly<{
  words: string[]
  cwd?: string
  port?: number
  root?: string
}>

/** Returns the parts of an nsjail configuration that describe the program. */
export function readNsjailConfig(text: string): Configured {
  const plain = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
  const at = plain.search(/(?:^|\n)[ \t]*exec_bin\b/)
  const rest = at === -1 ? '' : plain.slice(plain.indexOf('{', at) + 1)
  const body = rest.slice(0, rest.indexOf('}') === -1 ? undefined : rest.indexOf('}'))
  const path = field(body, 'path')
  const list = /arg: ?\[([^[\]]*)\]/.exec(body)?.[1]
  const args =
    list === undefined
      ? [...body.matchAll(/\barg: ?"([^"\n]{0,4096})"/g)].map((match) => match[1] ?? '')
      : splitShellWords(list.replaceAll(',', ' '))
  const cwd = field(plain, 'cwd')
  const port = /(?:^|\n)[ \t]*port: ?(\d{1,5})/.exec(plain)?.[1]
  const mount = /src: ?"([^"\n]{1,512})"\s{0,64}dst: ?"\/"/.exec(plain)?.[1]
  return {
    words: path === undefined ? [] : [path, ...args],
    ...(cwd === undefined ? {} : { cwd }),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(mount === undefined || mount === '/' ? {} : { root: mount }),
  }
}

/** Programs that prepare a jailed command. They have no effect outside of the jail, so they are removed from the command. */
const wrappers = new Set(['kctf_pow', 'kctf_drop_privs', 'exec', 'stdbuf', 'env', 'sudo', 'nice'])

function withoutWrappers(words: readonly string[]): string[] {
  let rest = [...words]
  for (;;) {
    const [first = ''] = rest
    if (wrappers.has(baseName(first))) rest = rest.slice(1)
    else if (/^-[a-z]+\d*$/.test(first) || /^[A-Z_]{1,64}=/.test(first)) rest = rest.slice(1)
    else return rest
  }
}

const listening = /(?:TCP[46]?-L(?:ISTEN)?):(\d{1,5})/i

function optionOf(words: readonly string[], names: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    if (names.includes(word)) return words[at + 1]
    const long = names.find((name) => name.startsWith('--') && word.startsWith(`${name}=`))
    if (long !== undefined) return word.slice(long.length + 1)
  }
  return undefined
}

function portOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,5}$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}

/** Matches options of nsjail whose value is the next word. */
const withValue =
  /^(?:-[CcpDugtHRTBEMNiIqQUGs]|--(?:config|chroot|port|cwd|user|group|time_limit|hostname|rlimit_\w+|bindmount(?:_ro)?|tmpfsmount|env|mode|max_conns(?:_per_ip)?|log|daemon_uid|cgroup_\w+|seccomp_\w+|uid_mapping|gid_mapping))$/

/** Returns the command that follows the options of nsjail. In this form no `--` separates the command from the options. */
function positional(options: readonly string[]): readonly string[] {
  for (let at = 0; at < options.length; at++) {
    const word = options[at] ?? ''
    if (!word.startsWith('-')) return options.slice(at)
    if (withValue.test(word)) at++
  }
  return []
}

const ends = new Set(['&', '&&', '||', ';', '|', ')'])

function fromNsjail(words: readonly string[], read: ReadSibling, outer: number | undefined): JailedCommand | undefined {
  const options = words.slice(words.findIndex((word) => baseName(word) === 'nsjail') + 1)
  const split = options.indexOf('--')
  const own = split === -1 ? options : options.slice(0, split)
  const config = optionOf(own, ['--config', '-C'])
  const text = config === undefined ? undefined : read(config)
  const configured = text === undefined ? undefined : readNsjailConfig(text)
  const behind = split === -1 ? positional(options) : options.slice(split + 1)
  const end = behind.findIndex((word) => ends.has(word) || word.endsWith(')'))
  const given = withoutWrappers(
    end === -1 ? behind : [...behind.slice(0, end), ...(ends.has(behind[end] ?? '') ? [] : [(behind[end] ?? '').slice(0, -1)])],
  )
  const command = given.length > 0 ? given : (configured?.words ?? [])
  if (command.length === 0) return undefined
  const listens = portOf(optionOf(own, ['--port', '-p'])) ?? (own.some((word) => word === '-Ml') ? undefined : configured?.port)
  const port = outer ?? listens
  const cwd = optionOf(own, ['--cwd', '-D']) ?? configured?.cwd
  const root = optionOf(own, ['--chroot', '-c']) ?? configured?.root
  return {
    words: command,
    ...(port === undefined ? {} : { port }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(root === undefined || root === '/' ? {} : { root }),
    isServer: outer === undefined && listens === undefined && !own.includes('-Ml') && !/mode: ?LISTEN/.test(text ?? ''),
  }
}

const socatOption = /^(?:stderr|pty|rawer|raw|nofork|ctty|setsid|sane|echo=\d|su=\w{1,32}|user=\w{1,32}|reuseaddr|fork)$/i

/** Removes socat options from the end of an address such as `EXEC:"run",stderr,pty`. */
function withoutSocatOptions(text: string): string {
  const [address = '', ...rest] = text.split(',')
  while (socatOption.test(rest.at(-1) ?? '')) rest.pop()
  return [address, ...rest].join(',')
}

/**
 * Searches the start command of a container for the command that runs for each connection.
 * @returns undefined if there is no such command
 */
export function findJailedCommand(words: readonly string[], read: ReadSibling, depth = 0): JailedCommand | undefined {
  const text = words.join(' ')
  const outer = portOf(listening.exec(text)?.[1])
  const address = words.map((word) => /^(?:EXEC|SYSTEM):/i.exec(word)?.[0] && word).find((word) => word)
  if (address !== undefined) {
    const inner = splitShellWords(withoutSocatOptions(address.slice(address.indexOf(':') + 1)))
    if (inner.some((word) => baseName(word) === 'nsjail')) return fromNsjail(inner, read, outer ?? 1337)
    const command = withoutWrappers(inner)
    const [first = ''] = command
    const script = depth < 3 ? read(first) : undefined
    const nested = script?.includes('nsjail') ? findJailedCommand(scriptWords(script), read, depth + 1) : undefined
    if (nested !== undefined) return { ...nested, ...(outer === undefined ? {} : { port: outer }), isServer: false }
    return command.length === 0 ? undefined : { words: command, ...(outer === undefined ? {} : { port: outer }), isServer: false }
  }
  if (words.some((word) => baseName(word) === 'nsjail')) return fromNsjail(words, read, outer)
  // `sh -c` receives the whole command in one word.
  if (words.length === 3 && /^(?:ba|da)?sh$/.test(baseName(words[0] ?? '')) && words[1] === '-c')
    return depth < 3 ? findJailedCommand(splitShellWords(words[2] ?? ''), read, depth + 1) : undefined
  if (depth >= 3) return undefined
  for (const word of words) {
    const script = /^[\w./-]{1,512}$/.test(word) ? read(word) : undefined
    if (script !== undefined && /nsjail|socat/.test(script)) return findJailedCommand(scriptWords(script), read, depth + 1)
  }
  return undefined
}

function scriptWords(script: string): string[] {
  return splitShellWords(
    script
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => !line.trimStart().startsWith('#'))
      .join(' ; '),
  )
}
