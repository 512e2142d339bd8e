import { entryPortLabel, expiryLabel, instanceIdLabel, ownerLabel, planLabel } from '@capstan/challenge-instance/labels'
import { flagVariable, teamIdVariable, testTeamId } from '@capstan/challenge-instance/names'
import type { InstanceSpec } from '../runtime.ts'
import { type EngineSettings, type PlannedContainer, type PlannedNetwork, portsToPublish } from './plan.ts'

/**
 * Returns the content of the variables file that the engine reads. The variables are not command-line arguments, because every user
 * of the machine can read arguments.
 * @returns an empty text if there are no variables
 */
export function formatVariablesFile({ flag, definition, secrets }: PlannedContainer): string {
  const flagNames = flag === undefined ? [] : (definition.flag?.variables ?? [])
  const all = [...Object.entries(secrets), ...flagNames.map((name) => [name, flag ?? ''] as const)]
  return all.map(([name, value]) => `${name}=${value}\n`).join('')
}

function ownershipArguments(id: string, { owner }: EngineSettings): string[] {
  return ['--label', `${ownerLabel}=${owner}`, '--label', `${instanceIdLabel}=${id}`]
}

/**
 * Returns the arguments and the environment of `create`. The environment passes the flag under the platform's variable names.
 * With these arguments, the container joins its first network. `argumentsOfNetworkConnectCommands` returns the arguments for all
 * other networks.
 * @param variablesFile file with the result of `formatVariablesFile`; absent if the result is empty
 */
export function argumentsOfCreateCommand(
  { id, expiresAt, teamId }: Pick<InstanceSpec, 'id' | 'expiresAt' | 'teamId'>,
  container: PlannedContainer,
  settings: EngineSettings,
  variablesFile?: string,
): { args: string[]; env: Record<string, string> } {
  const { plan, definition, flag, entryPort } = container
  const hasOwnNames = definition.flag?.variables !== undefined
  const flagNames = flag === undefined || hasOwnNames ? [] : [flagVariable, ...settings.flagEnvironmentNames]
  const [program, ...words] = definition.command ?? []
  const { user, group } = definition
  const [network] = container.networks
  const args = [
    ['create', '--name', container.engineName],
    ownershipArguments(id, settings),
    ['--label', `${expiryLabel}=${expiresAt.toISOString()}`],
    ...(entryPort === undefined ? [] : [['--label', `${entryPortLabel}=${entryPort}`]]),
    ['--label', `${planLabel}=${JSON.stringify(plan)}`],
    ...(plan.name === undefined ? [] : [['--hostname', plan.name]]),
    ...(network === undefined ? [] : [['--network', network.name]]),
    ...(network?.aliases ?? []).map((alias) => ['--network-alias', alias]),
    ...(definition.environment ?? []).map(({ name, value }) => ['--env', `${name}=${value}`]),
    ...(variablesFile === undefined ? [] : [['--env-file', variablesFile]]),
    ['--env', `${teamIdVariable}=${teamId ?? testTeamId}`],
    ...flagNames.map((name) => ['--env', name]),
    ...(user === undefined ? [] : [['--user', group === undefined ? `${user}` : `${user}:${group}`]]),
    ...(definition.readOnlyRoot ? [['--read-only']] : []),
    ...(definition.writablePaths ?? []).map(({ path, sizeMb }) => ['--tmpfs', `${path}:rw,exec,mode=1777,size=${sizeMb}m`]),
    ...(program === undefined ? [] : [['--entrypoint', program]]),
    ['--memory', `${container.memoryMb}m`, '--memory-swap', `${container.memoryMb}m`],
    ['--cpus', String(container.cpuTenths / 10)],
    ['--pids-limit', String(settings.pidsLimit)],
    ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    // podman waits this time before it ends a program that ignores the signal to stop.
    ['--stop-timeout', '0'],
    ...portsToPublish(container).map((port) => ['--publish', `${settings.publishHost}::${port}`]),
    [container.image],
    words,
    definition.args ?? [],
  ].flat()
  return { args, env: Object.fromEntries(flagNames.map((name) => [name, flag ?? ''])) }
}

/** Returns the arguments that connect a container to its further networks. */
export function argumentsOfNetworkConnectCommands({ engineName, networks }: PlannedContainer): string[][] {
  return networks
    .slice(1)
    .map(({ name, aliases }) => ['network', 'connect', ...aliases.flatMap((alias) => ['--alias', alias]), name, engineName])
}

/**
 * Options of each kind of network. A `door` network accepts connections to published ports, but has no route to the internet.
 * docker isolates all networks from each other. podman isolates only networks with the option `isolate`.
 */
const networkOptions = {
  docker: { inner: ['--internal'], door: ['--opt', 'com.docker.network.bridge.enable_ip_masquerade=false'], egress: [] },
  podman: {
    inner: ['--internal'],
    door: ['--opt', 'isolate=true', '--opt', 'no_default_route=1'],
    egress: ['--opt', 'isolate=true'],
  },
} as const

export type EngineKind = keyof typeof networkOptions

export function argumentsOfNetworkCreateCommand(
  id: string,
  { name, kind }: PlannedNetwork,
  settings: EngineSettings,
  engine: EngineKind,
): string[] {
  return ['network', 'create', ...ownershipArguments(id, settings), ...networkOptions[engine][kind], name]
}
