import { defaultContainer } from '@capstan/contract/challenge-parts'
import { type ChallengeFile, mapContainers } from '../format/challenge.ts'
import type { Finding } from '../report.ts'

/** Limits of containers whose descriptors contain no limits. If a limit is absent here, the default of the platform applies. */
export type DefaultLimits = Readonly<{
  memoryMb?: number
  /** Cores, in steps of 0.1. */
  cpu?: number
}>

/**
 * Sets the limits that a container lacks. If no limit is given, the default of the platform applies. This default is reported,
 * because it is too small for many services.
 */
export function addMissingLimits(
  challenge: ChallengeFile,
  { memoryMb, cpu }: DefaultLimits,
  file: string,
  findings: Finding[],
): ChallengeFile {
  return mapContainers(challenge, (container, place) => {
    const limits = { memoryMb: container.memoryMb ?? memoryMb, cpu: container.cpu ?? cpu }
    const missing = [
      ...(limits.memoryMb === undefined ? [`${defaultContainer.memoryMb} MB of memory`] : []),
      ...(limits.cpu === undefined ? [`${defaultContainer.cpuTenths / 10} cores`] : []),
    ]
    if (missing.length > 0)
      findings.push({
        file,
        line: 1,
        field: place,
        outcome: 'converted',
        why: `No limit is given, so the platform gives each instance ${missing.join(' and ')}.`,
        advice: 'Set `container.memoryMb` and `container.cpu`, or import with --memory and --cpu.',
        repair: 'limits',
      })
    return {
      ...container,
      ...(limits.memoryMb !== undefined && { memoryMb: limits.memoryMb }),
      ...(limits.cpu !== undefined && { cpu: limits.cpu }),
    }
  })
}
