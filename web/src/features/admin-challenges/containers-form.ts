import type { Challenge } from '@capstan/contract/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import type { ContainerChoices } from '@capstan/contract/container-definition'
import {
  type ChallengeContainer,
  type ContainerDependency,
  defaultNetworkName,
  networksOf,
  withoutDefaultNetworks,
} from '@capstan/contract/containers'
import { ContainerLimits } from '@capstan/contract/limits'
import { type ChallengeReach, canInstanceBeGuarded } from '@capstan/contract/reach'
import {
  byDefault,
  type ContainerForm,
  listFilledRows,
  splitWords,
  type TypedPort,
  toContainerDefinition,
  toContainerForm,
} from './container-form.ts'

export type TypedNetwork = Readonly<{
  name: string
  /** Additional host names, separated by spaces. */
  aliases: string
}>

type TypedDependency = Readonly<{
  /** Key of the container that this container waits for. */
  key: string
  when: ContainerDependency['when']
}>

/** Container as entered in the form. Numbers are text. */
export type TypedContainer = ContainerForm &
  Readonly<{
    /** Stored name, or a number for a container that is not stored yet. A rename does not change the key. */
    key: string
    name: string
    image: string
    /** Port to which players connect. Only the first container has one. */
    port: string
    /** CPU limit, in tenths of a core. */
    cpuTenths: string
    memoryMb: string
    storageMb: string
    capture: ChallengeContainer['capture']
    reach: ChallengeReach
    networks: readonly TypedNetwork[]
    dependsOn: readonly TypedDependency[]
    receivesFlag: 'default' | 'yes' | 'no'
  }>

const flagChoices = { yes: true, no: false, default: undefined } as const

/**
 * Turns off options that the protocol does not allow. Forwarding without parsing is an option for HTTP only. An access key requires
 * that the gateway parses HTTP.
 */
export function removeForbiddenOptions(reach: ChallengeReach): ChallengeReach {
  const fit = { ...reach, isRaw: reach.speaks === 'http' && reach.isRaw }
  return { ...fit, isGuarded: fit.isGuarded === true && canInstanceBeGuarded(fit) }
}

function typedContainerOf(container: ChallengeContainer): TypedContainer {
  const { name, image, receivesFlag } = container
  return {
    ...toContainerForm(container.definition),
    key: name,
    name,
    image,
    port: container.port === null ? '' : String(container.port),
    cpuTenths: String(container.cpuTenths),
    memoryMb: String(container.memoryMb),
    storageMb: String(container.storageMb),
    capture: container.capture,
    reach: { isGuarded: false, ...container.reach },
    networks: networksOf(container).map(({ name: network, aliases }) => ({ name: network, aliases: aliases.join(' ') })),
    dependsOn: (container.dependsOn ?? []).map(({ name: key, when }) => ({ key, when })),
    receivesFlag: receivesFlag === undefined ? 'default' : receivesFlag ? 'yes' : 'no',
  }
}

export function toTypedContainers({ containers }: Pick<Challenge, 'containers'>): readonly TypedContainer[] {
  return containers.map(typedContainerOf)
}

/** Returns the networks that have a name or an alias. */
export function listNetworkRows({ networks }: Pick<TypedContainer, 'networks'>) {
  return listFilledRows(networks, ({ name, aliases }) => name.trim() === '' && aliases.trim() === '')
}

/** Returns the containers that the form describes. They are valid only if `findFaultsOfContainers` finds no fault. */
export function toChallengeContainers(typed: readonly TypedContainer[], choices: ContainerChoices): ChallengeContainer[] {
  const names = new Map(typed.map(({ key, name }) => [key, name.trim()]))
  return typed.map((container, index) => {
    const receivesFlag = flagChoices[container.receivesFlag]
    return withoutDefaultNetworks({
      name: container.name.trim(),
      image: container.image.trim(),
      port: index === 0 ? Number(container.port) : null,
      reach: container.reach,
      cpuTenths: Number(container.cpuTenths),
      memoryMb: Number(container.memoryMb),
      storageMb: Number(container.storageMb),
      capture: container.capture,
      definition: toContainerDefinition(container, choices),
      networks: listNetworkRows(container).map(({ row }) => ({ name: row.name.trim(), aliases: splitWords(row.aliases) })),
      dependsOn: container.dependsOn.map(({ key, when }) => ({ name: names.get(key) ?? key, when })),
      ...(receivesFlag !== undefined && { receivesFlag }),
    })
  })
}

/**
 * Converts a container into the entry container. One of its ports becomes the port for players. The settings for traffic
 * recording, exposure and the access link come from the previous entry container. If the new entry cannot have an access link,
 * `findFaultsOfContainers` reports it.
 */
function asEntry(container: TypedContainer, previous: TypedContainer): TypedContainer {
  const port = container.ports.find(({ speaks }) => speaks !== 'inner') ?? container.ports[0]
  const speaks = port === undefined || port.speaks === 'inner' ? 'tcp' : port.speaks
  return {
    ...container,
    port: port?.port ?? String(defaultContainer.port),
    reach: {
      ...removeForbiddenOptions({ speaks, isRaw: port?.isRaw ?? false, hasOwnCertificate: port?.hasOwnCertificate ?? false }),
      isGuarded: previous.reach.isGuarded === true,
    },
    entryLabel: port?.label ?? '',
    ports: container.ports.filter((each) => each !== port),
    capture: previous.capture,
    exposure: previous.exposure,
  }
}

/** Converts the entry container into an additional container. Its port for players becomes one of its additional ports. */
function asFurther({ port, reach, entryLabel, ...container }: TypedContainer): TypedContainer {
  const { speaks, isRaw, hasOwnCertificate } = reach
  const entry: TypedPort = { port, speaks, isRaw, hasOwnCertificate, label: entryLabel }
  return {
    ...container,
    ...{ port: '', reach: defaultContainer.reach, capture: false, exposure: byDefault, plainPort: false, entryLabel: '' },
    ports: [entry, ...container.ports],
  }
}

/** Appends the lowest number, starting at 2, for which the resulting name is unused. */
function unused(beginning: string, known: readonly string[]): string {
  let number = 2
  while (known.includes(`${beginning}${number}`)) number += 1
  return `${beginning}${number}`
}

function unusedKey(containers: readonly TypedContainer[]): string {
  return unused(
    '',
    containers.map(({ key }) => key),
  )
}

/** Returns a name for another container, such as `page-2`. */
function unusedName(base: string, containers: readonly TypedContainer[]): string {
  const beginning = base.replace(/-\d+$/, '').slice(0, ContainerLimits.maxContainerNameLength - 2)
  return unused(
    `${beginning}-`,
    containers.map(({ name }) => name),
  )
}

/** Adds an empty container to the first network of the entry container. */
export function addEmptyContainer(containers: readonly TypedContainer[]): readonly TypedContainer[] {
  const network = containers[0]?.networks[0]?.name ?? defaultNetworkName
  const added: TypedContainer = {
    ...typedContainerOf({ ...defaultContainer, port: null }),
    key: unusedKey(containers),
    name: unusedName('container', containers),
    networks: [{ name: network, aliases: '' }],
  }
  return [...containers, added]
}

/** Adds a copy of a container. The copy has other host names, and players cannot connect to it. */
export function addContainerCopy(containers: readonly TypedContainer[], index: number): readonly TypedContainer[] {
  const source = containers[index]
  if (!source) return containers
  const further = index === 0 ? asFurther(source) : source
  const copy: TypedContainer = {
    ...further,
    key: unusedKey(containers),
    name: unusedName(source.name, containers),
    ports: further.ports.map((port) => ({ ...port, speaks: 'inner', isRaw: false, hasOwnCertificate: false, label: '' })),
    networks: source.networks.map((network) => ({ ...network, aliases: '' })),
  }
  return [...containers, copy]
}

/**
 * Removes a container, unless it is the only one. After the removal of the first container, the next one becomes the entry
 * container.
 */
export function removeContainer(containers: readonly TypedContainer[], index: number): readonly TypedContainer[] {
  const removed = containers[index]
  if (!removed || containers.length === 1) return containers
  const others = containers
    .filter((each) => each !== removed)
    .map((each) => ({ ...each, dependsOn: each.dependsOn.filter(({ key }) => key !== removed.key) }))
  return others.map((each, place) => (index === 0 && place === 0 ? asEntry(each, removed) : each))
}

/** Moves a container to the start of the list, so that players connect to it. */
export function moveToEntryContainer(containers: readonly TypedContainer[], index: number): readonly TypedContainer[] {
  const [first, ...others] = containers
  const chosen = containers[index]
  if (!first || !chosen || index === 0) return containers
  return [asEntry(chosen, first), asFurther(first), ...others.filter((each) => each !== chosen)]
}

/** Sums the resources of the containers. Fields with a fault count as 0. */
export type ResourceSums = Readonly<{ cores: number; memoryMb: number; storageMb: number }>

export function sumContainerResources(containers: readonly TypedContainer[]): ResourceSums {
  const sum = (field: 'cpuTenths' | 'memoryMb' | 'storageMb') =>
    containers.reduce((total, container) => total + (Number(container[field]) || 0), 0)
  return { cores: sum('cpuTenths') / 10, memoryMb: sum('memoryMb'), storageMb: sum('storageMb') }
}

/** Returns the edits without the values of secrets, because the browser must not store secret values. */
export function removeSecretValues<Edited extends { readonly containers?: readonly TypedContainer[] }>(edits: Edited): Edited {
  if (!edits.containers) return edits
  return {
    ...edits,
    containers: edits.containers.map((container) => ({
      ...container,
      secrets: container.secrets.map(({ name }) => ({ name, value: '' })),
    })),
  }
}
