import { createHash } from 'node:crypto'

/** Names that api, operator and chart share, besides labels and annotations. */

/** Field manager of everything that the operator applies. */
export const fieldManager = 'capstan-operator'

/** Names of the two writers of the cluster in audit logs, labels and traces. */
export const operatorName = 'capstan-operator'
export const apiName = 'capstan-api'

/** Source of the operator's Kubernetes events. */
export const reportingController = 'capstan.dev/operator'

/** Name of the challenge's container in its pod. */
export const challengeContainer = 'challenge'

/** Name of the recording container in its pod, and of its port. */
export const captureContainer = 'capture'

/** Name of the challenge's port in the pod and the service. */
export const challengePort = 'challenge'

/** Key of the flag in its Secret. */
export const flagKey = 'flag'

/** Key of a secret variable in the same Secret. */
export function secretVariableKey(name: string): string {
  return `variable.${name}`
}

/**
 * Container that writes the flag to a file, and the volume of that file. `writableVolume` is the prefix of volumes for writable
 * paths.
 */
export const flagFileContainer = 'flag-file'
export const flagFileVolume = 'flag'
export const writableVolume = 'writable'

/** Environment variable that always contains the flag. A deployment may add others. */
export const flagVariable = 'FLAG'

/** Environment variable that contains the team's number. */
export const teamIdVariable = 'TEAM_ID'

/** Value of `TEAM_ID` in a test instance. */
export const testTeamId = 'admin'

/** Lease of the leading operator. */
export const leaseName = 'capstan-operator'

const namePrefix = 'ci-'

/** Number of hexadecimal digits in an object's name, with as many bits as a UUID. */
const nameDigits = 32

/**
 * Returns the object name of an instance, the same in every runtime. A challenge can see its name as the host name, and other
 * names through the cluster's DNS. The UUID grants access, so the name is a hash that does not reveal it. ADR 15.
 */
export function instanceName(id: string): string {
  return `${namePrefix}${createHash('sha256').update(id).digest('hex').slice(0, nameDigits)}`
}

/** Returns the object name that earlier versions used. Instances that run during an upgrade keep it until they end. */
export function formerInstanceName(id: string): string {
  return `${namePrefix}${id}`
}
