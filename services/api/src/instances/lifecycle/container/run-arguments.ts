import { entryPortLabel, expiryLabel, instanceIdLabel, ownerLabel, readyLineLabel } from '@capstan/challenge-instance/labels'
import { flagVariable, instanceName, teamIdVariable, testTeamId } from '@capstan/challenge-instance/names'
import type { InstanceSpec } from '../runtime.ts'

export type EngineSettings = Readonly<{
  /** Label that distinguishes containers of this platform from others on the same machine. */
  owner: string
  publishHost: string
  flagEnvironmentNames: readonly string[]
  pidsLimit: number
}>

/**
 * Returns the variables that the engine reads from a file, because every user of the machine can read arguments. The environment
 * of the engine is not suitable: a challenge could choose names that change the engine's behavior.
 * @returns an empty text if there are none
 */
export function fileVariables({ flag, container, secrets }: InstanceSpec): string {
  const flagNames = flag === undefined ? [] : (container.flag?.variables ?? [])
  const all = [...Object.entries(secrets), ...flagNames.map((name) => [name, flag ?? ''] as const)]
  return all.map(([name, value]) => `${name}=${value}\n`).join('')
}

/** Explains to organizers in a sentence why an engine cannot run this instance. @returns undefined if the engine can run it */
export function refuseSpec({ image, flag, container, secrets }: InstanceSpec): string | undefined {
  // An image that looks like an option could give access to the machine.
  if (!/^[a-zA-Z0-9]/.test(image)) return 'The name of an image begins with a letter or a digit.'
  if (flag !== undefined && container.flag?.file !== undefined) return 'A flag in a file needs a cluster. Use a variable here.'
  if (Object.values(secrets).some((value) => value.includes('\n')))
    return 'Secret variables with several lines need a cluster. Use one line here.'
  return undefined
}

/**
 * Returns the arguments and the environment of `run`. The environment passes the flag under the platform's variable names.
 * @param variablesFile file with the result of `fileVariables`; absent if the result is empty
 */
export function runArguments(
  spec: InstanceSpec,
  settings: EngineSettings,
  variablesFile?: string,
): { args: string[]; env: Record<string, string> } {
  const { container } = spec
  const hasOwnNames = container.flag?.variables !== undefined
  const flagNames = spec.flag === undefined || hasOwnNames ? [] : [flagVariable, ...settings.flagEnvironmentNames]
  const [program, ...words] = container.command ?? []
  const { user, group } = container
  const readyLine = container.readiness?.line
  const args = [
    ['run', '--detach', '--name', instanceName(spec.id)],
    ['--label', `${ownerLabel}=${settings.owner}`],
    ['--label', `${instanceIdLabel}=${spec.id}`],
    ['--label', `${expiryLabel}=${spec.expiresAt.toISOString()}`],
    ['--label', `${entryPortLabel}=${spec.port}`],
    ...(readyLine === undefined ? [] : [['--label', `${readyLineLabel}=${readyLine}`]]),
    ...(container.environment ?? []).map(({ name, value }) => ['--env', `${name}=${value}`]),
    ...(variablesFile === undefined ? [] : [['--env-file', variablesFile]]),
    ['--env', `${teamIdVariable}=${spec.teamId ?? testTeamId}`],
    ...flagNames.map((name) => ['--env', name]),
    ...(user === undefined ? [] : [['--user', group === undefined ? `${user}` : `${user}:${group}`]]),
    ...(container.readOnlyRoot ? [['--read-only']] : []),
    ...(container.writablePaths ?? []).map(({ path, sizeMb }) => ['--tmpfs', `${path}:rw,exec,mode=1777,size=${sizeMb}m`]),
    ...(program === undefined ? [] : [['--entrypoint', program]]),
    ['--memory', `${spec.memoryMb}m`, '--memory-swap', `${spec.memoryMb}m`],
    ['--cpus', String(spec.cpuTenths / 10)],
    ['--pids-limit', String(settings.pidsLimit)],
    ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...[spec.port, ...(container.furtherPorts ?? [])].map((port) => ['--publish', `${settings.publishHost}::${port}`]),
    [spec.image],
    words,
    container.args ?? [],
  ].flat()
  return { args, env: Object.fromEntries(flagNames.map((name) => [name, spec.flag ?? ''])) }
}
