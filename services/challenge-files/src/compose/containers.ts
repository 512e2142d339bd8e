import { containerNamePattern } from '@capstan/contract/containers'
import { ContainerLimits } from '@capstan/contract/limits'
import type { NamedContainerRule } from '../format/challenge.ts'
import type { Fields } from '../importers/fields.ts'
import type { ComposeService, Membership } from './service.ts'

/** Names, networks and order of the containers of a compose file. */

const validName = new RegExp(containerNamePattern)

/** Converts the name of a service or network into a name of this platform. */
function toName(text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const started = /^[a-z]/.test(plain) ? plain : `c-${plain}`
  return started.slice(0, ContainerLimits.maxContainerNameLength).replace(/-$/, '')
}

/** Returns a map from each text to a valid, unique name. */
function namesFor(texts: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(texts.filter((text) => validName.test(text)))
  for (const text of texts) {
    let name = validName.test(text) ? text : toName(text)
    for (let count = 2; name !== text && taken.has(name); count++) name = `${toName(text).slice(0, 20)}-${count}`
    taken.add(name)
    names.set(text, name)
  }
  return names
}

/** Maps each service to its networks. A service without a network gets a new network. */
function networksFor(services: readonly ComposeService[], names: ReadonlyMap<string, string>): Map<string, Membership[]> {
  const all = services.flatMap(({ service, memberships }) =>
    memberships.map(({ network }) => (network === '' ? `none-${service}` : network)),
  )
  const networks = namesFor([...new Set(all)])
  return new Map(
    services.map(({ service, memberships }) => [
      service,
      memberships.map(({ network, aliases }) => ({
        network: networks.get(network === '' ? `none-${service}` : network) ?? network,
        aliases: [...aliases, ...aliasesFor(service, services)].filter((alias) => alias !== names.get(service)),
      })),
    ]),
  )
}

/** Returns the additional names under which other services can connect to a service. */
function aliasesFor(service: string, services: readonly ComposeService[]): string[] {
  return services.flatMap(({ links }) => links.filter((link) => link.service === service).map(({ alias }) => alias))
}

/** Returns the services in the order of the file, but moves the service to which players connect to the start. */
function inOrder(services: readonly ComposeService[], entry: ComposeService): ComposeService[] {
  return [entry, ...services.filter((each) => each !== entry)]
}

/** Returns the aliases that no container of the network has yet. */
function freeAliases({ network, aliases }: Membership, taken: Map<string, Set<string>>, drop: (alias: string) => void) {
  const names = taken.get(network) ?? new Set<string>()
  taken.set(network, names)
  return [...new Set(aliases)].filter((alias) => {
    const isFree = validName.test(alias) && !names.has(alias)
    if (!isFree) drop(alias)
    else names.add(alias)
    return isFree
  })
}

export type PlannedContainer = Readonly<{
  service: ComposeService
  name: string
  rule: Pick<NamedContainerRule, 'networks' | 'dependsOn'>
}>

/**
 * Returns the names, networks and dependencies of containers, beginning with the container to which players connect. Reports
 * containers whose names were changed.
 */
export function assignNamesAndNetworks(
  services: readonly ComposeService[],
  entry: ComposeService,
  fields: Fields,
): PlannedContainer[] {
  const names = namesFor(services.map(({ service }) => service))
  const isOne = services.length === 1
  if (!isOne)
    for (const [service, name] of names)
      if (service !== name)
        fields.note(
          service,
          'converted',
          `The container is named \`${name}\`.`,
          `Replace \`${service}\` where other containers use this name.`,
        )
  const networks = networksFor(services, names)
  const taken = new Map<string, Set<string>>()
  for (const { service } of services)
    for (const { network } of networks.get(service) ?? [])
      taken.set(network, (taken.get(network) ?? new Set()).add(names.get(service) ?? service))
  return inOrder(services, entry).map((service) => {
    const memberships = (networks.get(service.service) ?? []).map((each) => {
      const aliases = freeAliases(each, taken, (alias) => {
        if (!isOne && !names.has(alias))
          fields.note(
            service.service,
            'left-out',
            `\`${alias}\` cannot be an additional name of the container.`,
            `Use \`${names.get(service.service)}\` instead.`,
          )
      })
      const few = fields.limit(service.service, aliases, ContainerLimits.maxAliases, 'additional names')
      return { name: each.network, aliases: few }
    })
    const isPlain = memberships.length === 1 && memberships[0]?.name === 'default' && memberships[0].aliases.length === 0
    const wanted = [
      ...service.dependencies,
      ...service.links.map((link) => ({ service: link.service, when: 'started' as const })),
    ].filter(({ service: name }, index, all) => all.findIndex((other) => other.service === name) === index)
    const known = wanted.filter((each) => names.has(each.service) && each.service !== service.service)
    for (const { service: other } of wanted)
      if (!names.has(other))
        fields.note(
          service.service,
          'left-out',
          `The service depends on \`${other}\`, which is not imported.`,
          'Add it if the challenge needs it.',
        )
    const dependsOn = known.map(({ service: other, when }) => {
      const name = names.get(other) ?? other
      return when === 'started' ? name : { name, when }
    })
    return {
      service,
      name: names.get(service.service) ?? service.service,
      rule: {
        ...(!isPlain && {
          networks: memberships.map((each) => (each.aliases.length === 0 ? each.name : each)),
        }),
        ...(dependsOn.length > 0 && { dependsOn }),
      },
    }
  })
}
