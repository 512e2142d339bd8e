import { defaultContainer } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import {
  type ChallengeContainer,
  type ContainerDependency,
  type ContainerNetwork,
  withoutDefaultNetworks,
} from '@capstan/contract/containers'
import { type ChallengeReach, canInstanceBeGuarded } from '@capstan/contract/reach'
import { type ContainerRule, containersOf, type NamedContainerRule, type PlacedContainer } from '../format/challenge.ts'
import { createContainerDefinition, normalizeContainerDefinition } from '../format/container.ts'
import { note, noteMistake, type ReadContext } from './read-context.ts'

function networkOf(rule: NonNullable<NamedContainerRule['networks']>[number]): ContainerNetwork {
  return typeof rule === 'string' ? { name: rule, aliases: [] } : rule
}

function dependencyOf(rule: NonNullable<NamedContainerRule['dependsOn']>[number]): ContainerDependency {
  return typeof rule === 'string' ? { name: rule, when: 'started' } : rule
}

function readReach(context: ReadContext, place: string, port: ContainerRule['ports'][number] | undefined): ChallengeReach {
  const reach = { speaks: port?.speaks ?? 'tcp', isRaw: port?.raw ?? false, hasOwnCertificate: port?.ownCertificate ?? false }
  if (port?.guarded !== true) return reach
  if (canInstanceBeGuarded(reach)) return { ...reach, isGuarded: true }
  noteMistake(context, `${place}.ports[0].guarded`, '`guarded` needs `speaks: http` without `raw` and `ownCertificate`.')
  return reach
}

function readImage(context: ReadContext, { name, image, build, place }: PlacedContainer): string {
  const { author } = context
  const given = image ?? author?.builtImage(name)
  if (given !== undefined) return given
  const field = `${place}.build`
  if (author !== undefined)
    noteMistake(context, field, 'The image is not built yet, or its files changed since. Run `capstan build`.')
  else
    note(
      context,
      field,
      'converted',
      `The image is built from \`${build?.context}\`.`,
      'Build it, then set its name in the editor.',
    )
  return ''
}

/** Reports the settings of a container that the platform cannot store. */
function noteUnsupportedSettings(context: ReadContext, container: PlacedContainer, isEntry: boolean): void {
  const { place, ports = [], environment = {} } = container
  for (const [index, { speaks, raw, ownCertificate, guarded, label }] of ports.entries())
    if ((index > 0 || !isEntry) && (guarded || (speaks === undefined && (raw || ownCertificate || label !== undefined))))
      note(
        context,
        `${place}.ports[${index}]`,
        'left-out',
        'An additional port must state a protocol, and cannot require an access link.',
      )
  if (context.author === undefined)
    for (const [name, value] of Object.entries(environment))
      if (typeof value !== 'string')
        note(
          context,
          `${place}.environment.${name}`,
          'left-out',
          'The value is secret and not in the file.',
          'Set it in the editor.',
        )
  if (!isEntry && container.capture)
    noteMistake(context, `${place}.capture`, 'This setting applies to the whole instance. Set it in the first container.')
}

/** @param isEntry true if players connect to the first port of the container */
function readContainer(context: ReadContext, container: PlacedContainer, isEntry: boolean): ChallengeContainer {
  noteUnsupportedSettings(context, container, isEntry)
  const { place, ports = [] } = container
  const { environment } = context.author ?? {}
  const [main] = ports
  const port = isEntry ? (main?.port ?? defaultContainer.port) : null
  const definition = createContainerDefinition({ ...container, ports }, isEntry, (variable) => environment?.[variable] || null)
  const secrets = definition.secrets?.map(({ name, value }) => ({ name, ...(value != null && { value }) }))
  return withoutDefaultNetworks({
    name: container.name,
    image: readImage(context, container),
    port,
    reach: isEntry ? readReach(context, place, main) : defaultContainer.reach,
    cpuTenths: container.cpu === undefined ? defaultContainer.cpuTenths : Math.round(container.cpu * 10),
    memoryMb: container.memoryMb ?? defaultContainer.memoryMb,
    storageMb: container.storageMb ?? defaultContainer.storageMb,
    capture: isEntry && (container.capture ?? false),
    definition: { ...normalizeContainerDefinition(definition, port), ...(environment && secrets && { secrets }) },
    ...(container.networks && { networks: container.networks.map(networkOf) }),
    ...(container.dependsOn && { dependsOn: container.dependsOn.map(dependencyOf) }),
    ...(container.receivesFlag !== undefined && { receivesFlag: container.receivesFlag }),
  })
}

/**
 * Reads the containers, or returns the default container if the challenge has no containers. Players connect to the first
 * container.
 */
export function readContainers(context: ReadContext): ChallengeContainer[] {
  const given = hasContainer(context.type) ? containersOf(context.described) : []
  if (given.length === 0) return [defaultContainer]
  return given.map((container, index) => readContainer(context, container, index === 0))
}
