import { createHash } from 'node:crypto'

/** Names, besides labels and annotations, that api, operator and chart share. */

/** Field manager of all objects that the operator applies. */
export const fieldManager = 'capstan-operator'

export const operatorName = 'capstan-operator'
export const namesName = 'capstan-names'
export const apiName = 'capstan-api'

export const reportingController = 'capstan.dev/operator'

export const challengeContainer = 'challenge'

/** Name of the recording container in its pod, and name of its port. */
export const captureContainer = 'capture'

export const challengePort = 'challenge'

export const flagKey = 'flag'

/**
 * Returns the key of a secret variable in the Secret of its instance.
 * @param container name of an additional container. Absent for the entry.
 */
export function secretVariableKey(name: string, container?: string): string {
  const key = `variable.${name}`
  return container === undefined ? key : `container.${container}.${key}`
}

/**
 * Name of the container that writes the flag file, and name of the volume of that file. The names of volumes for writable paths
 * start with `writableVolume`.
 */
export const flagFileContainer = 'flag-file'
export const flagFileVolume = 'flag'
export const writableVolume = 'writable'

/** Environment variable that always contains the flag. A deployment may add others. */
export const flagVariable = 'FLAG'

/** Environment variable that contains the team's number. */
export const teamIdVariable = 'TEAM_ID'

export const testTeamId = 'admin'

export const leaseName = 'capstan-operator'

const namePrefix = 'ci-'

const nameDigits = 32

/**
 * Returns the object name of an instance, which is the same in every runtime. A challenge can see this name as its host name, and
 * may see names of other instances in the cluster's DNS. The name is a hash, because the UUID grants access. ADR 15.
 */
export function instanceName(id: string): string {
  return `${namePrefix}${createHash('sha256').update(id).digest('hex').slice(0, nameDigits)}`
}

/**
 * Returns the object name that earlier versions gave an instance. Instances that run during an upgrade retain it until they end.
 */
export function formerInstanceName(id: string): string {
  return `${namePrefix}${id}`
}
