import { isDeepStrictEqual } from 'node:util'
import { hasSingleContainer } from '@capstan/challenge-files/challenge/write'
import { pathOfContainer } from '@capstan/challenge-files/format/challenge'
import { describeContainerFault } from '@capstan/challenge-files/format/container'
import type { Finding } from '@capstan/challenge-files/report'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import type { ContainerChoices, StoredContainer } from '@capstan/contract/container-definition'
import { findContainerListFaults } from '@capstan/contract/container-list-faults'
import { type ChallengeContainer, withoutDefaultNetworks } from '@capstan/contract/containers'
import type { ArchivedChallenge } from './archived-challenge.ts'

const lists: ReadonlySet<string> = new Set(['environment', 'writablePaths', 'furtherPorts', 'offeredPorts'])

/**
 * Returns a definition without the value to which a JSON pointer refers. The value may be a setting, a part of a setting, or an
 * item of a list.
 */
function without(definition: StoredContainer, at: string): StoredContainer {
  const [setting = '', part = '', index = ''] = at.slice(1).split('/')
  const { [setting as keyof StoredContainer]: wrong, ...others } = definition
  if (lists.has(setting) && part !== '')
    return { ...others, [setting]: (wrong as unknown[]).filter((_, place) => String(place) !== part) }
  const { flag } = definition
  if (setting !== 'flag' || flag === undefined) return others
  const variables = (flag.variables ?? []).filter((_, place) => part !== 'variables' || String(place) !== index)
  const file = part === 'file' ? undefined : flag.file
  // Omit an empty flag setting. The platform then uses its default variables.
  if (variables.length === 0 && file === undefined) return others
  return { ...others, flag: { variables, ...(file && { file }) } }
}

/** Returns a list without the item at an index. If the index is an empty text, returns an empty list. */
function withoutItem<Item>(items: readonly Item[], place: string): Item[] {
  return place === '' ? [] : items.filter((_, index) => String(index) !== place)
}

/**
 * Returns a list of containers without the value to which a JSON pointer refers. If the pointer refers to a name, the whole
 * container is removed.
 */
function withoutPart(containers: readonly ChallengeContainer[], at: string): ChallengeContainer[] {
  const [, index = '', field = '', place = '', part = '', item = ''] = at.split('/')
  const container = containers[Number(index)]
  if (container === undefined || field === '' || field === 'name') return withoutItem(containers, index)
  const { networks = [], dependsOn = [], receivesFlag, definition, ...others } = container
  const remaining =
    part === 'aliases'
      ? networks.map((each, at) => (String(at) === place ? { ...each, aliases: withoutItem(each.aliases, item) } : each))
      : withoutItem(networks, place)
  const fitting = withoutDefaultNetworks({
    ...others,
    ...(field === 'port' && { port: index === '0' ? defaultContainer.port : null }),
    ...(field === 'capture' && { capture: false }),
    definition: field === 'definition' ? without(definition, at.slice(`/${index}/definition`.length)) : definition,
    networks: field === 'networks' ? remaining : networks,
    dependsOn: field === 'dependsOn' ? withoutItem(dependsOn, place) : dependsOn,
    ...(field !== 'receivesFlag' && receivesFlag !== undefined && { receivesFlag }),
  })
  return containers.map((each) => (each === container ? fitting : each))
}

/**
 * Removes settings of the containers from an imported challenge, and reports them. Removes each setting that contradicts another
 * setting, and each setting that this platform does not allow. If the fault is in a default, the whole container is removed,
 * because a default cannot be removed.
 */
export function removeUnsupportedSettings(archived: ArchivedChallenge, choices: ContainerChoices): ArchivedChallenge {
  const { described, file } = archived
  if (described === undefined) return archived
  const { challenge } = described
  const findings: Finding[] = []
  let places = challenge.containers.map((_, index) => ({
    place: hasSingleContainer(challenge.containers) ? 'container' : pathOfContainer(index),
  }))
  let containers: readonly ChallengeContainer[] = challenge.containers
  for (;;) {
    const [fault] = findContainerListFaults(containers, choices)
    if (fault === undefined) break
    const [, index = ''] = fault.at.split('/')
    const smaller = withoutPart(containers, fault.at)
    const isDefault = isDeepStrictEqual(smaller, containers)
    const fitting = isDefault ? withoutItem(containers, index) : smaller
    const { field, why } = describeContainerFault(isDefault ? { ...fault, at: `/${index}` } : fault, places)
    findings.push({ file, line: 1, field, outcome: 'left-out', why, advice: 'Set it in the editor.' })
    if (fitting.length < containers.length) places = withoutItem(places, index)
    containers = fitting
  }
  const fitting = { ...challenge, containers: [...containers] }
  return { ...archived, described: { ...described, challenge: fitting }, findings: [...archived.findings, ...findings] }
}
