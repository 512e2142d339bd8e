import {
  allChoices,
  type ContainerChoices,
  type ContainerFault,
  findDefinitionFaults,
  findRepeatedValues,
} from './container-definition.ts'
import { type ChallengeContainer, fieldsBesideOthers, networksOf } from './containers.ts'
import { ContainerLimits } from './limits.ts'

/** Fault in a list of containers. Each container on its own may be valid. */
export type ContainerListFault = ContainerFault | 'unknown' | 'cycle' | 'entryMissing' | 'entryOnly' | 'many'

/** Fault with a JSON pointer into the list of containers (RFC 6901). */
export type PlacedContainerListFault = Readonly<{ at: string; fault: ContainerListFault }>

/**
 * Returns the faults of networks: a container that lists a network twice, and aliases that equal another host name in the same
 * network.
 */
function networkFaults(containers: readonly ChallengeContainer[]): PlacedContainerListFault[] {
  const members = containers.flatMap((container, index) =>
    networksOf(container).map(({ name, aliases }, place) => ({
      owner: container.name,
      name,
      aliases,
      at: `/${index}/networks/${place}`,
    })),
  )
  const networks = [...Map.groupBy(members, ({ name }) => name).values()]
  const memberships = networks.flatMap((those) =>
    findRepeatedValues(those.map(({ owner, at }) => ({ at: `${at}/name`, value: owner }))),
  )
  const aliases = networks.flatMap((those) => {
    const names = new Set(those.map(({ owner }) => owner))
    const given = those.flatMap(({ aliases: own, at }) => own.map((value, place) => ({ at: `${at}/aliases/${place}`, value })))
    return [
      ...given.filter(({ value }) => names.has(value)).map(({ at }) => ({ at, fault: 'twice' as const })),
      ...findRepeatedValues(given),
    ]
  })
  const surplus = networks.slice(ContainerLimits.maxNetworks).flatMap(([first]) => first ?? [])
  return [...memberships, ...aliases, ...surplus.map(({ at }) => ({ at: `${at}/name`, fault: 'many' as const }))]
}

/** Returns the faults of dependencies: unknown containers, and containers that wait for each other. */
function dependencyFaults(containers: readonly ChallengeContainer[]): PlacedContainerListFault[] {
  const dependenciesOf = new Map(containers.map(({ name, dependsOn = [] }) => [name, dependsOn.map((each) => each.name)]))
  const waitsFor = (name: string, wanted: string, seen: Set<string>): boolean => {
    if (name === wanted) return true
    if (seen.has(name)) return false
    seen.add(name)
    return (dependenciesOf.get(name) ?? []).some((next) => waitsFor(next, wanted, seen))
  }
  return containers.flatMap(({ name: own, dependsOn = [] }, index) => {
    const names = dependsOn.map(({ name }, place) => ({ at: `/${index}/dependsOn/${place}/name`, value: name }))
    const faults = names.flatMap(({ at, value }): PlacedContainerListFault[] => {
      if (!dependenciesOf.has(value)) return [{ at, fault: 'unknown' }]
      return waitsFor(value, own, new Set()) ? [{ at, fault: 'cycle' }] : []
    })
    return [...findRepeatedValues(names), ...faults]
  })
}

/** Returns the faults of ports for players: a missing entry port, the same port on two containers, and too many ports. */
function publishedFaults(containers: readonly ChallengeContainer[]): PlacedContainerListFault[] {
  const published = containers.flatMap(({ port, definition: { offeredPorts = [] } }, index) => [
    ...(port === null ? [] : [{ index, at: `/${index}/port`, value: port }]),
    ...offeredPorts.map((offered, place) => ({
      ...{ index, at: `/${index}/definition/offeredPorts/${place}/port` },
      value: offered.port,
    })),
  ])
  const shared = published.filter(({ index, value }) => published.some((other) => other.index < index && other.value === value))
  const surplus = published.slice(ContainerLimits.maxFurtherPorts + 1)
  return [
    ...(containers[0]?.port === null ? [{ at: '/0/port', fault: 'entryMissing' as const }] : []),
    ...shared.map(({ at }) => ({ at, fault: 'twice' as const })),
    ...surplus.map(({ at }) => ({ at, fault: 'many' as const })),
  ]
}

/** Returns faults for additional containers with settings that only the first container may have. */
function misplacedSettings(containers: readonly ChallengeContainer[]): PlacedContainerListFault[] {
  return containers.slice(1).flatMap(({ port, capture, definition }, index) => {
    const places = {
      port: port !== null,
      capture: capture !== false,
      'definition/exposure': definition.exposure !== undefined,
      'definition/plainPort': definition.plainPort !== undefined,
      'definition/entryLabel': definition.entryLabel !== undefined,
    }
    return Object.entries(places).flatMap(([place, isGiven]) =>
      isGiven ? [{ at: `/${index + 1}/${place}`, fault: 'entryOnly' as const }] : [],
    )
  })
}

function lengthOfVariables({ definition: { environment = [] } }: ChallengeContainer): number {
  return environment.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
}

/** Returns a fault for each container or field that exceeds a limit or uses an option that the platform lacks. */
function excesses(containers: readonly ChallengeContainer[], { maxContainers }: ContainerChoices): PlacedContainerListFault[] {
  const surplus = containers.slice(maxContainers).map((_, index) => ({ at: `/${maxContainers + index}`, fault: 'many' as const }))
  const unsupported = containers.flatMap((container, index) =>
    fieldsBesideOthers
      .filter((field) => container[field] !== undefined)
      .map((field) => ({ at: `/${index}/${field}`, fault: 'choice' as const })),
  )
  const lengths = containers.map(lengthOfVariables)
  const isLong = lengths.reduce((sum, length) => sum + length, 0) > ContainerLimits.maxVariablesLength
  const longest = lengths.indexOf(Math.max(...lengths))
  return [
    ...surplus,
    ...(maxContainers === 1 ? unsupported : []),
    // Do not limit the environment variables of a single container. Earlier versions had no limit, so existing challenges may
    // exceed the present limit.
    ...(isLong && containers.length > 1 ? [{ at: `/${longest}/definition/environment`, fault: 'many' as const }] : []),
  ]
}

/**
 * Returns all faults of a list of containers, each with the JSON pointer of its container or field.
 * @param choices options that the platform allows; by default all
 */
export function findContainerListFaults(
  containers: readonly ChallengeContainer[],
  choices: ContainerChoices = allChoices,
): PlacedContainerListFault[] {
  return [
    ...excesses(containers, choices),
    ...findRepeatedValues(containers.map(({ name }, index) => ({ at: `/${index}/name`, value: name }))),
    ...networkFaults(containers),
    ...dependencyFaults(containers),
    ...publishedFaults(containers),
    ...misplacedSettings(containers),
    ...containers.flatMap(({ definition, port }, index) =>
      findDefinitionFaults(definition, port, choices).map(({ at, fault }) => ({ at: `/${index}/definition${at}`, fault })),
    ),
  ]
}
