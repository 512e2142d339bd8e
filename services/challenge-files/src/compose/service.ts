import { ContainerLimits } from '@capstan/contract/limits'
import type { NamedContainerRule } from '../format/challenge.ts'
import { platformFlagVariable } from '../format/container.ts'
import type { Fields } from '../importers/fields.ts'
import { isPort, isVariableName, maxPorts } from '../importers/parts.ts'
import { limitCores, limitMemoryMb, parseQuantity } from '../importers/quantities.ts'
import { splitShellWords } from '../jails/dockerfile.ts'
import { isRecord, toText } from '../record.ts'
import { type FileTree, resolvePath } from '../tree.ts'
import { readHealthCheck } from './health.ts'
import { type ComposeProject, readEnvFile } from './project.ts'
import { parseComposeBytes } from './quantities.ts'
import { readVolumes, type Volumes } from './volumes.ts'

/** Reads one service of a compose file. */

/** Default flag of containers that an author runs locally. The author can replace it with the shell variable `FLAG`. */
export const localFlag = 'local-flag'

export type Dependency = Readonly<{ service: string; when: 'started' | 'ready' }>
export type Membership = Readonly<{ network: string; aliases: readonly string[] }>

export type ComposeService = Readonly<{
  service: string
  rule: Omit<NamedContainerRule, 'name' | 'image' | 'build' | 'ports' | 'networks' | 'dependsOn'>
  image?: string
  /** Container ports from the field `ports` of the compose service. */
  published: readonly number[]
  /** Ports of the container that only other containers use. */
  exposed: readonly number[]
  workingFolder?: string
  volumes: Volumes
  memberships: readonly Membership[]
  dependencies: readonly Dependency[]
  /** Additional names under which this service connects to other services. */
  links: readonly Readonly<{ service: string; alias: string }>[]
  /** Settings of `x-capstan`. */
  own: Readonly<Record<string, unknown>>
}>

/** Returns the ports of the container in the short form `HOST:PUBLISHED:TARGET/PROTOCOL`. */
function targetsOf(written: string): { ports: number[]; protocol: string } {
  const [plain = '', protocol = 'tcp'] = written.trim().split('/')
  const [first, last = first] = plain
    .slice(plain.lastIndexOf(':') + 1)
    .split('-')
    .map(Number)
  if (!isPort(first) || !isPort(last) || last < first) return { ports: [], protocol }
  // Return at most one port more than the maximum number. This is enough to report that a range has too many ports.
  return { ports: Array.from({ length: Math.min(last - first, maxPorts) + 1 }, (_, index) => first + index), protocol }
}

function readPorts(service: Fields, key: 'ports' | 'expose'): number[] {
  const found = service.list(key).flatMap((entry, index): number[] => {
    const written = service.elementText(key, index, entry)
    const long = written === undefined ? service.element(key, index, entry) : undefined
    const { ports, protocol } =
      long === undefined
        ? targetsOf(written ?? '')
        : { ...targetsOf(toText(long.take('target') ?? '')), protocol: long.text('protocol') ?? 'tcp' }
    if (long !== undefined) {
      for (const field of ['published', 'host_ip', 'mode', 'name', 'app_protocol']) long.take(field)
      long.rest()
    }
    if (protocol.toLowerCase() !== 'tcp') {
      if (key === 'ports')
        service.noteElement(key, index, 'left-out', 'Players reach only TCP ports.', 'Use TCP if players need the port.')
      return []
    }
    if (ports.length === 0) service.noteElement(key, index, 'left-out', 'The port of the container is not known.', 'Set `ports`.')
    return ports
  })
  return service.limit(key, [...new Set(found)], maxPorts, 'ports')
}

function readWords(service: Fields, key: 'command' | 'entrypoint'): string[] {
  const value = service.take(key)
  if (Array.isArray(value)) return service.texts(key)
  return value === undefined ? [] : splitShellWords(service.text(key) ?? '')
}

/** Returns the program of a service. An empty `entrypoint` or `command` removes the value that the image defines. */
function readProgram(service: Fields): { command: string[]; args: string[] } {
  const [command, args] = [readWords(service, 'entrypoint'), readWords(service, 'command')]
  const isEmpty = (key: 'command' | 'entrypoint', words: readonly string[]): boolean =>
    service.keys.includes(key) && service.take(key) !== undefined && words.length === 0
  if (isEmpty('entrypoint', command)) {
    if (args.length > 0) return { command: args, args: [] }
    service.note('entrypoint', 'left-out', 'The program of the image still starts.', 'Set `command` of the container.')
  }
  if (isEmpty('command', args) && command.length === 0)
    service.note('command', 'left-out', 'The arguments of the image still apply.', 'Set `command` of the container.')
  return { command, args }
}

const flagName = /flag/i

/**
 * Reads `environment` and `env_file`. A container variable gets the flag of the challenge if it reads a shell variable with "flag"
 * in its name.
 */
function readEnvironment(tree: FileTree, project: ComposeProject, service: Fields, place: string) {
  const environment: Record<string, string> = {}
  const flags: string[] = []
  /** True if the platform's flag variable has the default value that an exported compose file contains. */
  let isExported = false
  const set = (name: string, value: string, field: string): void => {
    const unset = project.unset.get(field)
    const source = project.whole.get(field)
    if (!isVariableName(name)) service.noteElement('environment', name, 'left-out', `\`${name}\` is not a valid variable name.`)
    else if (source !== undefined && flagName.test(source) && !project.variables.has(source)) {
      flags.push(name)
      if (name === platformFlagVariable && value === localFlag) isExported = true
      service.noteElement('environment', name, 'converted', 'The variable gets the flag of the challenge.')
    } else if (unset !== undefined)
      service.noteElement('environment', name, 'left-out', 'Variables of the shell are not available.', 'Set its value.')
    else if ([...value].length > 4_096)
      service.noteElement('environment', name, 'left-out', 'The value is too long.', 'Write it to a file of the image.')
    else environment[name] = value
  }
  const missing = (name: string): void => {
    const known = project.variables.get(name)
    if (known !== undefined) environment[name] = known
    else if (flagName.test(name)) flags.push(name)
    else service.noteElement('environment', name, 'left-out', 'Variables of the shell are not available.', 'Set its value.')
  }
  for (const [index, entry] of service.list('env_file').entries()) {
    const written = service.elementText('env_file', index, entry)
    const long = written === undefined ? service.element('env_file', index, entry) : undefined
    const name = written ?? long?.text('path') ?? ''
    const isRequired = long?.boolean('required') ?? true
    long?.take('format')
    long?.rest()
    const path = resolvePath(project.folder, name)
    const read = path === undefined ? undefined : readEnvFile(tree, path)
    if (read === undefined && isRequired)
      service.noteElement(
        'env_file',
        index,
        'left-out',
        `\`${name}\` is not in the folder.`,
        'Set its variables in `environment`.',
      )
    for (const [variable, value] of read ?? []) set(variable, value, '')
  }
  const value = service.take('environment')
  if (Array.isArray(value))
    for (const [index, entry] of service.texts('environment').entries()) {
      const at = entry.indexOf('=')
      if (at === -1) missing(entry)
      else set(entry.slice(0, at), entry.slice(at + 1), `${place}.environment[${index}]`)
    }
  else if (isRecord(value)) {
    const fields = service.fields('environment')
    for (const name of Object.keys(value))
      if (value[name] === null) missing(name)
      else set(name, fields?.text(name) ?? '', `${place}.environment.${name}`)
  }
  const { maxVariables, maxFlagVariables } = ContainerLimits
  return {
    environment: Object.fromEntries(service.limit('environment', Object.entries(environment), maxVariables, 'variables')),
    flags: service.limit('environment', [...new Set(flags)], maxFlagVariables, 'variables with the flag'),
    isExported,
  }
}

function readLimits(service: Fields): Pick<NamedContainerRule, 'cpu' | 'memoryMb'> {
  const deploy = service.fields('deploy')
  const resources = deploy?.fields('resources')
  const limits = resources?.fields('limits')
  const reservations = resources?.fields('reservations')
  /** Returns the limit of a field. A limit of 0 means that the engine sets no limit. */
  const read = (
    holder: Fields | undefined,
    key: string,
    parse: (value: unknown) => number | undefined,
    limit: (fields: Fields, key: string, value: number) => number,
  ): number | undefined => {
    const value = holder?.take(key)
    if (holder === undefined || value === undefined) return undefined
    const number = parse(value)
    if (number === undefined) holder.note(key, 'left-out', `\`${toText(value)}\` is not a quantity.`, 'Set the limit.')
    return number === undefined || number === 0 ? number : limit(holder, key, number)
  }
  const readMemory = (holder: Fields | undefined, key: string) => read(holder, key, parseComposeBytes, limitMemoryMb)
  const readCores = (holder: Fields | undefined) => read(holder, 'cpus', parseQuantity, limitCores)
  const memoryMb =
    readMemory(limits, 'memory') ??
    readMemory(service, 'mem_limit') ??
    readMemory(reservations, 'memory') ??
    readMemory(service, 'mem_reservation')
  const cpu = readCores(limits) ?? readCores(service) ?? readCores(reservations)
  const processes = 'The number of processes is set for the whole platform.'
  limits?.leaveOut({ pids: processes })
  reservations?.leaveOut({
    devices: 'Instances have no devices of the host.',
    cpus: 'The CPU limit of the container applies instead.',
    memory: 'The memory limit of the container applies instead.',
  })
  const replicas = deploy?.number('replicas') ?? service.number('scale')
  if (replicas !== undefined && replicas > 1)
    service.note('deploy', 'left-out', 'Each instance has one container of a service.', 'Check that one is enough.')
  for (const each of [limits, reservations, resources]) each?.rest()
  deploy?.leaveOut({
    restart_policy: 'The platform restarts failed containers.',
    mode: 'Each instance has one container of a service.',
    placement: 'Nodes are chosen by the operator.',
    update_config: 'Each team starts its own instance.',
    rollback_config: 'Each team starts its own instance.',
    endpoint_mode: 'Each instance has one container of a service.',
    labels: 'The platform sets the labels.',
  })
  deploy?.rest()
  service.leaveOut({
    mem_reservation: 'The memory limit of the container applies instead.',
    mem_limit: 'The limit in `deploy` applies.',
    cpus: 'The limit in `deploy` applies.',
  })
  return {
    ...(cpu !== undefined && cpu > 0 && { cpu }),
    ...(memoryMb !== undefined && memoryMb > 0 && { memoryMb }),
  }
}

function readUser(service: Fields): Pick<NamedContainerRule, 'user' | 'group'> {
  const written = service.text('user')
  if (written === undefined) return {}
  const [user, group] = written
    .split(':')
    .map((part) => (part === 'root' ? 0 : /^\d{1,10}$/.test(part) ? Number(part) : Number.NaN))
  const isNumber = (value: number | undefined): value is number => value !== undefined && value <= ContainerLimits.maxUserId
  if (!isNumber(user) || (group !== undefined && !isNumber(group)))
    service.note('user', 'left-out', 'The user must be a number.', 'Set `user` to its number in the image.')
  return { ...(isNumber(user) && { user }), ...(isNumber(group) && { group }) }
}

function readMemberships(service: Fields): Membership[] {
  const mode = service.text('network_mode')
  if (mode === 'none') return [{ network: '', aliases: [] }]
  if (mode === 'host')
    service.note('network_mode', 'left-out', 'Instances have their own network.', 'Publish the ports that players need.')
  else if (mode !== undefined && /^(?:service|container):/.test(mode))
    service.note(
      'network_mode',
      'left-out',
      'Each container has its own address, so `localhost` reaches only the container itself.',
      'Use the name of the other container instead of `localhost`.',
    )
  const value = service.take('networks')
  if (!isRecord(value)) return service.texts('networks').map((network) => ({ network, aliases: [] }))
  const fields = service.fields('networks')
  return Object.keys(value).map((network) => {
    const each = isRecord(value[network]) ? fields?.fields(network) : undefined
    const aliases = each?.texts('aliases') ?? []
    const address = 'Addresses are chosen by the platform.'
    const byName = 'Use the name of the container instead of its address.'
    for (const key of ['ipv4_address', 'ipv6_address']) if (each?.keys.includes(key)) each.note(key, 'left-out', address, byName)
    each?.leaveOut({
      priority: address,
      link_local_ips: address,
      mac_address: address,
      gw_priority: address,
      interface_name: address,
    })
    each?.rest()
    return { network, aliases }
  })
}

function readDependencies(service: Fields): Dependency[] {
  const value = service.take('depends_on')
  if (!isRecord(value)) return service.texts('depends_on').map((name) => ({ service: name, when: 'started' }))
  const fields = service.fields('depends_on')
  return Object.keys(value).map((name) => {
    const each = isRecord(value[name]) ? fields?.fields(name) : undefined
    const condition = each?.text('condition') ?? 'service_started'
    for (const key of ['restart', 'required']) each?.take(key)
    each?.rest()
    if (condition === 'service_completed_successfully')
      each?.note(
        'condition',
        'left-out',
        'Containers that run once and then end are not supported.',
        'Do this work when the other container starts.',
      )
    return { service: name, when: condition === 'service_healthy' ? 'ready' : 'started' }
  })
}

function readLinks(service: Fields): { service: string; alias: string }[] {
  return service.texts('links').map((text) => {
    const [name = '', alias = name] = text.split(':')
    return { service: name, alias }
  })
}

const noRight = 'Instances run without capabilities and rights of the host.'
const checkRight = 'Check that the challenge works without it.'

/** Reports settings for rights and limits that instances do not support. */
function noteRights(service: Fields): void {
  if (service.take('privileged') === true) service.note('privileged', 'left-out', noRight, checkRight)
  const options = service.texts('security_opt')
  const weaker = options.filter((option) => !/^no-new-privileges(?:[:=]true)?$/.test(option))
  if (weaker.length > 0) service.note('security_opt', 'left-out', 'The security profile of the platform applies.', checkRight)
  for (const key of [
    'cap_add',
    'devices',
    'device_cgroup_rules',
    'pid',
    'ipc',
    'uts',
    'userns_mode',
    'cgroup',
    'cgroup_parent',
    'group_add',
    'gpus',
    'runtime',
  ])
    if (service.keys.includes(key) && service.take(key) !== undefined && service.take(key) !== false)
      service.note(key, 'left-out', noRight, checkRight)
  if (service.keys.includes('ulimits'))
    service.note('ulimits', 'left-out', 'Limits of processes are set for the whole platform.', checkRight)
  if (service.keys.includes('sysctls')) service.note('sysctls', 'left-out', noRight, checkRight)
  if (service.keys.includes('shm_size'))
    service.note('shm_size', 'left-out', 'Shared memory has the default size.', 'Reduce what the program stores in `/dev/shm`.')
  if (service.keys.includes('extra_hosts'))
    service.note('extra_hosts', 'left-out', 'Containers have no additional hosts.', 'Use the names of containers.')
  service.leaveOut({
    cap_drop: 'Instances run without capabilities.',
    pids_limit: 'The number of processes is set for the whole platform.',
  })
}

/** Reports the fields `x-…` of other tools. The import reads them only if services include them by anchors. */
export function reportComposeExtensions(fields: Fields): void {
  for (const key of fields.keys)
    if (key.startsWith('x-') && key !== 'x-capstan')
      fields.note(key, 'left-out', 'The field is read only where services include it.')
}

const unused: Readonly<Record<string, string>> = {
  container_name: 'Instances are named by the platform.',
  restart: 'The platform restarts failed containers.',
  labels: 'The platform sets the labels.',
  label_file: 'The platform sets the labels.',
  annotations: 'The platform sets the annotations.',
  logging: 'The platform collects the output.',
  init: 'The platform defines the pod.',
  stdin_open: 'Containers have no terminal.',
  tty: 'Containers have no terminal.',
  stop_grace_period: 'The platform stops instances.',
  stop_signal: 'The platform stops instances.',
  platform: 'The nodes determine the CPU architecture.',
  pull_policy: 'The platform pulls images.',
  domainname: 'Instances are named by the platform.',
  mac_address: 'Addresses are chosen by the platform.',
  dns: 'The platform resolves host names.',
  dns_search: 'The platform resolves host names.',
  dns_opt: 'The platform resolves host names.',
  attach: 'The platform collects the output.',
  develop: 'It is only for development.',
  memswap_limit: 'Instances have no swap.',
  mem_swappiness: 'Instances have no swap.',
  oom_kill_disable: 'The memory limit of the container applies instead.',
  oom_score_adj: 'The memory limit of the container applies instead.',
  cpu_shares: 'The CPU limit of the container applies instead.',
  cpu_quota: 'The CPU limit of the container applies instead.',
  cpu_period: 'The CPU limit of the container applies instead.',
  cpuset: 'The CPU limit of the container applies instead.',
  cpu_count: 'The CPU limit of the container applies instead.',
  cpu_percent: 'The CPU limit of the container applies instead.',
  storage_opt: 'The disk limit of the container applies instead.',
  blkio_config: 'The disk limit of the container applies instead.',
}

/**
 * Reads a service.
 * @param place path of the service in the file
 */
export function readComposeService(
  tree: FileTree,
  project: ComposeProject,
  name: string,
  service: Fields,
  readCopies: (service: Fields) => Volumes['copies'],
): ComposeService {
  const place = `services.${name}`
  const isReadOnly = service.boolean('read_only')
  const volumes = readVolumes(tree, project.folder, service, isReadOnly === true)
  const { command, args } = readProgram(service)
  const { environment, flags, isExported } = readEnvironment(tree, project, service, place)
  const readiness = readHealthCheck(service)
  const own = service.take('x-capstan')
  if (own !== undefined && !isRecord(own)) service.note('x-capstan', 'refused', 'This must be a mapping.')
  const hostname = service.text('hostname')
  const container = service.take('container_name')
  const image = service.text('image')
  const workingFolder = service.text('working_dir')
  noteRights(service)
  const published = readPorts(service, 'ports')
  const exposed = readPorts(service, 'expose')
  const memberships = readMemberships(service)
  const dependencies = readDependencies(service)
  const links = readLinks(service)
  const limits = readLimits(service)
  const user = readUser(service)
  const copies = [...volumes.copies, ...readCopies(service)]
  if (service.keys.includes('volumes_from'))
    service.note('volumes_from', 'left-out', 'Containers do not share volumes.', 'Copy the files into both images.')
  service.leaveOut({ ...unused, external_links: 'Instances reach only their own containers.' })
  if (container !== undefined) service.note('container_name', 'left-out', unused.container_name ?? '')
  reportComposeExtensions(service)
  service.rest()
  // A container that is published or has `receivesFlag` gets the flag in the default variable. In this case, the `capstan.yaml`
  // need not name the variable.
  const hasDefaultFlag =
    isExported && flags.length === 1 && (published.length > 0 || (isRecord(own) && own.receivesFlag === true))
  const names = [hostname, container].filter((each): each is string => typeof each === 'string' && each !== name)
  return {
    service: name,
    rule: {
      ...(command.length > 0 && { command }),
      ...(args.length > 0 && { args }),
      ...(Object.keys(environment).length > 0 && { environment }),
      ...(flags.length > 0 && !hasDefaultFlag && { flag: { environment: flags } }),
      ...limits,
      ...user,
      ...(isReadOnly !== undefined && { readOnlyRoot: isReadOnly }),
      ...(volumes.writablePaths.length > 0 && { writablePaths: volumes.writablePaths }),
      ...(readiness !== undefined && { readiness }),
    },
    ...(image !== undefined && { image }),
    published,
    exposed,
    ...(workingFolder !== undefined && { workingFolder }),
    volumes: { ...volumes, copies },
    memberships: (memberships.length > 0 ? memberships : [{ network: 'default', aliases: [] }]).map((each) => ({
      ...each,
      aliases: [...new Set([...each.aliases, ...names])],
    })),
    dependencies,
    links,
    own: isRecord(own) ? own : {},
  }
}
