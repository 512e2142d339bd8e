// Writer of compose files. `x-capstan` has the settings that compose lacks.
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { Document, isMap, isScalar, isSeq, Scalar, visit } from 'yaml'
import { type ChallengeFile, containersOf, type NamedContainerRule } from '../format/challenge.ts'
import { platformFlagVariable } from '../format/container.ts'
import { isRecord } from '../record.ts'
import { localFlag } from './service.ts'

/** Returns a reference to a shell variable in the syntax of compose. */
function variable(name: string): string {
  return `\${${name}}`
}

/** Number that is added to a privileged container port to get its host port. */
const privilegedOffset = 8_000
const minUnprivilegedPort = 1_024

/** Escapes all texts in a value, so that compose finds no variables in them. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$')
  if (Array.isArray(value)) return value.map(escaped)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, escaped(each)]))
}

function createHostPorts() {
  const taken = new Set<number>()
  return (port: number): number => {
    let free = port < minUnprivilegedPort ? port + privilegedOffset : port
    while (taken.has(free)) free = free === 65_535 ? minUnprivilegedPort : free + 1
    taken.add(free)
    return free
  }
}

/** Returns the names of the variables that get the flag. If the container names no variable, the platform's default applies. */
function flagVariablesOf({ environment = {}, flag, receivesFlag, ports = [] }: NamedContainerRule): readonly string[] {
  if (flag?.environment !== undefined) return [flag.environment].flat()
  const hasDefault = (receivesFlag ?? ports.length > 0) && !(platformFlagVariable in environment)
  return hasDefault ? [platformFlagVariable] : []
}

function environmentOf(container: NamedContainerRule): Record<string, unknown> {
  const { environment = {} } = container
  const values = Object.entries(environment).map(([name, value]) => [
    name,
    typeof value === 'string' ? escaped(value) : variable(value.secret),
  ])
  const flags = flagVariablesOf(container).map((name) => [name, variable(`FLAG:-${localFlag}`)])
  return Object.fromEntries([...values, ...flags])
}

function networksOf({ networks }: NamedContainerRule): unknown {
  if (networks === undefined) return undefined
  const all = networks.map((each) => (typeof each === 'string' ? { name: each, aliases: [] } : each))
  if (all.every(({ aliases }) => aliases.length === 0)) return all.map(({ name }) => name)
  return Object.fromEntries(all.map(({ name, aliases }) => [name, aliases.length === 0 ? {} : { aliases }]))
}

function nameOfDependency(dependency: NonNullable<NamedContainerRule['dependsOn']>[number]): string {
  return typeof dependency === 'string' ? dependency : dependency.name
}

/** Returns the settings of a container that compose cannot express exactly. */
function ownSettings(container: NamedContainerRule, isOnlyInList: boolean): Record<string, unknown> {
  const { image, command, args, environment = {}, user, group, cpu, memoryMb, networks, dependsOn = [], ...rest } = container
  const { name, build, readOnlyRoot: _, ...own } = rest
  return {
    ...(isOnlyInList && { name }),
    ...(image && build && { build }),
    ...(command?.length === 0 && { command }),
    ...(args?.length === 0 && { args }),
    ...(Object.values(environment).some((value) => typeof value !== 'string') && { environment }),
    ...(user === undefined && group !== undefined && { group }),
    ...(dependsOn.some((each) => typeof each !== 'string') && { dependsOn }),
    ...own,
  }
}

function serviceOf(container: NamedContainerRule, own: Record<string, unknown>, hostPort: (port: number) => number) {
  const { image, build, command = [], args = [], user, group, cpu, memoryMb, readOnlyRoot, writablePaths = [] } = container
  const { ports = [], dependsOn = [] } = container
  const environment = environmentOf(container)
  const networks = networksOf(container)
  return {
    ...(image ? { image: escaped(image) } : { build: escaped(build) }),
    ...(command.length > 0 && { entrypoint: escaped(command) }),
    ...(args.length > 0 && { command: escaped(args) }),
    ...(Object.keys(environment).length > 0 && { environment }),
    ...(ports.length > 0 && { ports: ports.map(({ port }) => `127.0.0.1:${hostPort(port)}:${port}`) }),
    ...(networks !== undefined && { networks }),
    ...(dependsOn.length > 0 && { depends_on: dependsOn.map(nameOfDependency) }),
    ...(user !== undefined && { user: group === undefined ? `${user}` : `${user}:${group}` }),
    ...(readOnlyRoot !== undefined && { read_only: readOnlyRoot }),
    ...(writablePaths.length > 0 && { tmpfs: writablePaths.map(({ path, sizeMb }) => `${path}:size=${sizeMb}m`) }),
    ...(cpu !== undefined && { cpus: cpu }),
    ...(memoryMb !== undefined && { mem_limit: `${memoryMb}m` }),
    ...(Object.keys(own).length > 0 && { 'x-capstan': escaped(own) }),
  }
}

/** Returns the containers. If the first container has no port, it gets a port, because players connect to it. */
function withEntry([first, ...others]: readonly NamedContainerRule[]): readonly NamedContainerRule[] {
  if (first === undefined) return []
  return [first.ports?.length ? first : { ...first, ports: [{ port: defaultContainer.port }] }, ...others]
}

function documentOf(value: unknown): Document {
  const document = new Document(value, { version: '1.1' })
  visit(document, {
    Scalar: (key, node) => {
      // Quote every text, because engines would read some unquoted texts as numbers.
      if (key !== 'key' && isScalar(node) && typeof node.value === 'string')
        node.type = node.value.includes('\n') ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE
    },
    Collection: (_, node) => {
      if ((isMap(node) || isSeq(node)) && node.items.length === 0) node.flow = true
    },
  })
  return document
}

/**
 * Returns the text of a compose file that runs the containers of a challenge. An import of the file creates the same challenge.
 * The paths in the file are relative to the folder of the challenge.
 * @returns undefined if the challenge has no containers, or if a container has neither an image nor a build
 */
export function formatComposeFile({
  apiVersion: _,
  kind: __,
  container,
  containers,
  ...settings
}: ChallengeFile): string | undefined {
  const rules = containersOf({ ...(container && { container }), ...(containers && { containers }) })
  if (rules.length === 0 || rules.some(({ image, build }) => !image && build === undefined)) return undefined
  const hostPort = createHostPorts()
  const services = withEntry(rules.map(({ place: _, ...rule }) => rule)).map((rule, index) => {
    const own = ownSettings(rule, containers?.length === 1 && index === 0)
    return [rule.name, serviceOf(rule, own, hostPort)] as const
  })
  const networks = new Set(
    rules.flatMap(({ networks = [] }) => networks.map((each) => (typeof each === 'string' ? each : each.name))),
  )
  return documentOf({
    // If `enabled` were absent, the import would enable a challenge whose compose file contains a flag.
    'x-capstan': escaped({ ...settings, enabled: settings.enabled ?? false }),
    services: Object.fromEntries(services),
    ...(networks.size > 0 && { networks: Object.fromEntries([...networks].map((name) => [name, {}])) }),
  }).toString({ lineWidth: 0 })
}
