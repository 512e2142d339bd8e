import { ContainerLimits } from '@capstan/contract/limits'
import type { Fields } from './fields.ts'
import { readVariables } from './parts.ts'
import { type Exposed, onlyOne, type PodRule } from './pods.ts'
import { limitCores, limitMemoryMb, parseQuantity } from './quantities.ts'

/** Reader for Docker Compose services in descriptors of other platforms. */

const teamFlag = /^\$\{?RCTF_FLAG\}?$/

function quantityOf(service: Fields, key: string): number | undefined {
  const written = service.text(key)
  if (written === undefined) return undefined
  // The units of Compose are powers of 1024.
  const quantity = parseQuantity(written.replace(/([kmg])b?$/i, (_, unit: string) => `${unit.toUpperCase()}i`))
  if (quantity === undefined) service.note(key, 'left-out', `\`${written}\` is not a quantity.`)
  return quantity
}

export function readComposeServiceAsPod(service: Fields): PodRule {
  const variables = Object.entries(readVariables(service, 'environment') ?? {})
  const environment = Object.fromEntries(variables.filter(([, value]) => !teamFlag.test(value)))
  const named = variables.flatMap(([name, value]) => (teamFlag.test(value) ? [name] : []))
  const flags = service.limit('environment', named, ContainerLimits.maxFlagVariables, 'variables with the flag')
  const image = service.text('image')
  const [command, args] = [service.texts('entrypoint'), service.texts('command')]
  const readOnlyRoot = service.boolean('read_only')
  const memory = quantityOf(service, 'mem_limit')
  const cpu = quantityOf(service, 'cpus')
  const noRight = 'Instances run without capabilities.'
  const network = 'Outgoing connections are set with `container.egress`.'
  service.leaveOut({
    hostname: 'Instances are named by the platform.',
    networks: network,
    network_mode: network,
    cap_add: noRight,
    cap_drop: noRight,
    privileged: noRight,
    security_opt: noRight,
    pids_limit: 'The number of processes is set for the whole platform.',
    tmpfs: 'List writable folders in `container.writablePaths`.',
    restart: 'The platform defines the pod.',
  })
  service.rest()
  return {
    ...(image === undefined ? {} : { image }),
    ...(command.length === 0 ? {} : { command }),
    ...(args.length === 0 ? {} : { args }),
    ...(Object.keys(environment).length === 0 ? {} : { environment }),
    ...(flags.length === 0 ? {} : { flag: { environment: flags.length === 1 && flags[0] ? flags[0] : flags } }),
    ...(cpu === undefined ? {} : { cpu: limitCores(service, 'cpus', cpu) }),
    ...(memory === undefined ? {} : { memoryMb: limitMemoryMb(service, 'mem_limit', memory) }),
    ...(readOnlyRoot === undefined ? {} : { readOnlyRoot }),
  }
}

/** Returns the exposed service, or the first service if no service is exposed. Reports all other services. */
export function readExposedService(holder: Fields, key: string, exposed: Exposed): PodRule {
  const services = holder.fields(key)
  const names = services?.keys ?? []
  const found = names.find((name) => name === exposed.name)
  if (exposed.name !== undefined && found === undefined) exposed.reportUnknown()
  const chosen = found ?? names[0]
  for (const name of names)
    if (name !== chosen) services?.note(name, 'left-out', onlyOne, 'Put what the challenge needs into one image.')
  const service = chosen === undefined ? undefined : services?.fields(chosen)
  return service === undefined ? {} : readComposeServiceAsPod(service)
}
