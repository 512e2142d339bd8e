import { createHash } from 'node:crypto'

/** Names that the api, the operator and the chart use. Labels and annotations are in `labels.ts`. */

/** Field manager that the operator uses when it applies objects (Server-Side Apply). */
export const fieldManager = 'capstan-operator'

export const operatorName = 'capstan-operator'
export const namesName = 'capstan-names'
export const apiName = 'capstan-api'

export const reportingController = 'capstan.dev/operator'

export const challengeContainer = 'challenge'

/** Name of the container that records traffic. Its port has the same name. */
export const captureContainer = 'capture'

export const challengePort = 'challenge'

export const flagKey = 'flag'

/**
 * Returns the key of a secret environment variable in the Secret of an instance.
 * @param container name of an additional container, or undefined for the entry container
 */
export function secretVariableKey(name: string, container?: string): string {
  const key = `variable.${name}`
  return container === undefined ? key : `container.${container}.${key}`
}

export const flagFileContainer = 'flag-file'
export const flagFileVolume = 'flag'
/** Prefix of the names of the volumes for writable paths. */
export const writableVolume = 'writable'

/** Name of the environment variable that always contains the flag. A deployment can configure additional variables. */
export const flagVariable = 'FLAG'

/** Name of the environment variable that contains the team's number. */
export const teamIdVariable = 'TEAM_ID'

export const testTeamId = 'admin'

export const leaseName = 'capstan-operator'

const namePrefix = 'ci-'

const nameDigits = 32

/**
 * Returns the object name of an instance, which is the same in every runtime. A challenge can read the object name of
 * its instance from its host name, and may find the names of other instances in the cluster's DNS. The name is
 * therefore only a hash of the UUID, because the UUID grants access to the instance. See ADR 15.
 */
export function deriveInstanceName(id: string): string {
  return `${namePrefix}${createHash('sha256').update(id).digest('hex').slice(0, nameDigits)}`
}

/**
 * Returns the object name that earlier versions gave an instance. An instance that is running during an upgrade retains this name
 * until it ends.
 */
export function deriveFormerInstanceName(id: string): string {
  return `${namePrefix}${id}`
}
