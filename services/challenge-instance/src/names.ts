import { createHash } from 'node:crypto'

/** Names on which api, operator and chart agree, besides labels and annotations. */

/** Field manager of everything that the operator applies. */
export const fieldManager = 'capstan-operator'

/** How audit logs, labels and traces name the two that write to the cluster. */
export const operatorName = 'capstan-operator'
export const apiName = 'capstan-api'

/** Who Kubernetes events of the operator come from. */
export const reportingController = 'capstan.dev/operator'

/** Name of the challenge's container in its pod. */
export const challengeContainer = 'challenge'

/** Name of the recording container in its pod, and of its port. */
export const captureContainer = 'capture'

/** Name of the challenge's port in pod and service. */
export const challengePort = 'challenge'

/** Key of the flag in its Secret. */
export const flagKey = 'flag'

/** Key of a secret variable in the same Secret. */
export const secretVariableKey = (name: string): string => `variable.${name}`

/** Container that lays the flag into a file, and volume that holds it; volumes of writable paths begin like this. */
export const flagFileContainer = 'flag-file'
export const flagFileVolume = 'flag'
export const writableVolume = 'writable'

/** Environment name of the flag, always; the deployment may add others. */
export const flagVariable = 'FLAG'

/** Environment name of the team's number. */
export const teamIdVariable = 'TEAM_ID'

/** What a test instance reads as its team's number. */
export const testTeamId = 'admin'

/** Lease that the leading operator holds. */
export const leaseName = 'capstan-operator'

const namePrefix = 'ci-'

/** Hexadecimal digits of an object's name: as many bits as a UUID has. */
const nameDigits = 32

/**
 * Name of the object of an instance, the same in every runtime. Challenges learn names, their own as the host name and others' where
 * a cluster's DNS tells them, and the UUID is all the right to connect: so the name follows from it, and never leads back. ADR 15.
 */
export const instanceName = (id: string): string =>
  `${namePrefix}${createHash('sha256').update(id).digest('hex').slice(0, nameDigits)}`

/** Name that earlier versions gave the object. Those that run while a version is replaced keep it until they end. */
export const formerInstanceName = (id: string): string => `${namePrefix}${id}`
