import type { ChallengeCategory } from '@capstan/contract/challenges'
import { ContainerDefaults } from '@capstan/contract/limits'
import { readCompose } from '../compose/read.ts'
import { type ChallengeFile, type ContainerRule, containersOf } from '../format/challenge.ts'
import { convertJail } from '../jails/convert.ts'
import type { Finding, Repairable } from '../report.ts'
import { type FileTree, folderOf, type WrittenFile } from '../tree.ts'
import type { ReadOne } from './dialect.ts'
import { createBuildFileReader, readDockerfile } from './jailed-build.ts'
import { isPort } from './parts.ts'
import { findListeningPort, findServiceFiles, listExposedPorts } from './service-files.ts'

/** Parts of a descriptor that tell how players connect to its service. */
export type Service = Readonly<{
  category: ChallengeCategory
  /** Text with an address, such as `nc host.example.org 1337`. */
  address: string
  /** Ports on which the service listens, if the descriptor states them. */
  ports?: readonly number[]
  /** Protocol of the ports, if the descriptor states it. */
  speaks?: 'http' | 'tcp'
}>

/** Parts of a read descriptor that `readNearbyService` sets. */
export type Nearby = { readonly dockerfiles: WrittenFile[]; nearby?: NonNullable<ReadOne['nearby']> }

const tcpAddress = /\b(?:nc|ncat|netcat|telnet|socat|ssh)\s/i
const webAddress = /https?:\/\//i
const placeholder = /\[address of your instance\]/
/** Matches a connection with a host and a port. */
const tcpConnection = /\b(?:nc|ncat|netcat|telnet)\s+\S+\s+\d{2,5}\b|\bssh\s+\S+@\S+|\bnc \[address of your instance\]/i
const webConnection = /https?:\/\/(?:[^\s/)>]{1,253}:\d{2,5}\b|\[address of your instance\])/i

function hasAddress({ address }: Service): boolean {
  return (
    /\b(?:nc|ncat|netcat|telnet)\s+\S+\s+\d{2,5}\b|\bssh\s+\S+@\S+|https?:\/\/[^\s/)>]{1,253}:\d{2,5}\b/i.test(address) ||
    placeholder.test(address)
  )
}

function portOf({ address }: Service): number | undefined {
  const [, port] = /(?:\s|:|-p )(\d{2,5})\b(?![.\d])/.exec(address) ?? []
  const number = Number(port)
  return isPort(number) && number !== 443 ? number : undefined
}

/** Categories whose challenges run on a server. In other categories, a Dockerfile often only builds the files for players. */
const servedCategories: readonly ChallengeCategory[] = ['Web', 'Pwn', 'Crypto', 'Blockchain']

/** Default port of a service that does not speak HTTP. It applies if no file contains a port. */
const usualTcpPort = 1337

const usualWebPorts = [80, 3000, 5000, 8000, 8080]

/** Returns the protocol of a port. A link without a port is often only a reference, above all in texts of Pwn challenges. */
function speechOf({ address, category, speaks }: Service, port: number): 'http' | 'tcp' {
  if (speaks !== undefined) return speaks
  if (tcpConnection.test(address)) return 'tcp'
  if (webConnection.test(address)) return 'http'
  if (tcpAddress.test(address)) return 'tcp'
  if (category === 'Web') return 'http'
  if (category === 'Pwn') return 'tcp'
  return webAddress.test(address) || usualWebPorts.includes(port) ? 'http' : 'tcp'
}

function inSpeech(container: ContainerRule, service: Service): ContainerRule {
  return { ...container, ports: container.ports.map((port) => ({ ...port, speaks: speechOf(service, port.port) })) }
}

function contextOf(descriptor: string, dockerfile: string): string {
  const base = folderOf(descriptor)
  const folder = folderOf(dockerfile)
  return folder === base ? '.' : folder.slice(base === '' ? 0 : base.length + 1)
}

/** Default ports of servers that do not speak HTTP, such as SSH and databases. */
const plainPorts = [21, 22, 25, 53, 110, 143, 389, 445, 1433, 3306, 5432, 6379, 27_017]

/** Returns the options for reading the compose file of a service. */
export function composeOptionsOfService(descriptor: string, service: Service) {
  return {
    descriptor,
    speaks: (port: number) => (plainPorts.includes(port) ? ('tcp' as const) : speechOf(service, port)),
    usualPort: () =>
      service.ports?.[0] ?? portOf(service) ?? (service.category === 'Web' ? ContainerDefaults.port : usualTcpPort),
  }
}

/**
 * Returns the containers of a service that the descriptor itself does not describe, from a compose file or a Dockerfile near it.
 * @param own the parts of the read descriptor, to which the findings and the additional Dockerfiles of the containers are added
 * @returns undefined if there are no containers. The unused files are then reported
 */
export function readNearbyService(
  tree: FileTree,
  descriptor: string,
  service: Service,
  own: Nearby,
): Pick<ChallengeFile, 'container' | 'containers'> | undefined {
  const findings: Finding[] = []
  const containers = findContainers(tree, descriptor, service, findings, own.dockerfiles)
  own.nearby = { findings, speaks: (port) => speechOf(service, port) }
  return containers
}

function findContainers(
  tree: FileTree,
  descriptor: string,
  service: Service,
  findings: Finding[],
  dockerfiles: WrittenFile[],
): Pick<ChallengeFile, 'container' | 'containers'> | undefined {
  const found = findServiceFiles(tree, descriptor)
  const { composeFiles } = found
  const note = (file: string, outcome: Finding['outcome'], why: string, advice: string, repairable: Repairable = {}): void =>
    void findings.push({ file, line: 1, field: '', outcome, why, advice, ...repairable })
  for (const file of composeFiles) {
    const own: Finding[] = []
    const read = readCompose(tree, file, composeOptionsOfService(descriptor, service), own)
    if (read === undefined) {
      // The Dockerfile may still describe the service, so do not refuse the challenge for faults of the compose file.
      findings.push(
        ...own.filter(({ outcome }) => outcome === 'refused').map((each) => ({ ...each, outcome: 'left-out' as const })),
      )
      continue
    }
    findings.push(...own)
    dockerfiles.push(...read.dockerfiles)
    if (Object.keys(read.own).length > 0)
      note(
        file,
        'left-out',
        'The settings of the challenge in `x-capstan` apply only to a compose file without another descriptor.',
        'Move them to a `capstan.yaml`.',
      )
    const count = containersOf(read.containers).length
    const what =
      count === 1 ? 'The service of this file becomes the container' : `The ${count} services of this file become the containers`
    note(file, 'converted', `${what} of the challenge.`, 'Check the ports, and test the challenge.')
    for (const other of composeFiles.slice(composeFiles.indexOf(file) + 1))
      note(other, 'left-out', `The containers are created from \`${file}\`.`, 'Check that it is the right file.')
    return read.containers
  }
  const { dockerfiles: besides } = found
  const [given, ...further] = service.ports ?? []
  const isService = given !== undefined || hasAddress(service) || servedCategories.includes(service.category)
  for (const file of besides) {
    const text = readDockerfile(tree, file) ?? ''
    const listening = given ?? findListeningPort(tree, file)
    const isJailed = convertJail(text, createBuildFileReader(tree, folderOf(file))) !== undefined
    if (listening === undefined && !isService && !isJailed) continue
    const port = listening ?? portOf(service) ?? (service.category === 'Web' ? ContainerDefaults.port : usualTcpPort)
    note(file, 'converted', `The image of this file becomes the container of the challenge, with port ${port}.`, 'Test it.')
    const exposed = listExposedPorts(tree, file)
    const isUnknown = listening === undefined && portOf(service) === undefined && !isJailed
    const isOneOfSeveral = given === undefined && exposed.length > 1
    if (isUnknown || isOneOfSeveral)
      note(
        file,
        'converted',
        `The file names ${isUnknown ? 'no port' : 'several ports'}, so ${port} is used.`,
        'Set `container.ports` to the port of the challenge.',
        { repair: 'port', ports: exposed },
      )
    const context = contextOf(descriptor, file)
    const own = file.slice(file.lastIndexOf('/') + 1)
    for (const other of besides)
      if (other !== file) note(other, 'left-out', `The container is built from \`${file}\`.`, 'Check that it is the right file.')
    const build = { context, ...(own === 'Dockerfile' ? {} : { dockerfile: own }) }
    return { container: inSpeech({ build, ports: [port, ...further].map((each) => ({ port: each })) }, service) }
  }
  // Compose files in deep folders become separate challenges.
  if (isService && composeFiles.length + besides.length === 0)
    for (const file of found.unused)
      note(
        file,
        'left-out',
        'The file is in a folder for players or authors, or in a deep folder, so the challenge has no container.',
        'If players need one, add `container`.',
      )
  for (const file of [...composeFiles, ...besides])
    note(
      file,
      'left-out',
      'The file names no port, and the challenge names no address, so the challenge has no container.',
      'If players need one, add `container`.',
    )
  return undefined
}
