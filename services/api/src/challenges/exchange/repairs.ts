import { createHash } from 'node:crypto'
import { normalizeContainerDefinition } from '@capstan/challenge-files/format/container'
import type { DefaultLimits } from '@capstan/challenge-files/importers/limits'
import type { Challenge } from '@capstan/contract/challenge'
import { changeEntryContainer, entryContainerOf, lacksFlag } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import type { ImportRepair, ImportRepairs } from '@capstan/contract/exchange'
import { InstanceLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { ArchivedChallenge } from './archived-challenge.ts'

export function defaultLimitsOfImportRepairs({ defaultMemoryMb, defaultCpuTenths }: ImportRepairs): DefaultLimits {
  return {
    ...(defaultMemoryMb !== undefined && { memoryMb: defaultMemoryMb }),
    ...(defaultCpuTenths !== undefined && { cpu: defaultCpuTenths / 10 }),
  }
}

/** Returns a digest that covers an archive and its repairs. Without repairs, the result is the digest of the archive. */
export function digestOfArchiveAndRepairs(
  digest: string,
  { enableAll = false, defaultMemoryMb, defaultCpuTenths, ports }: ImportRepairs,
): string {
  const repairs = { ...(enableAll && { enableAll }), defaultMemoryMb, defaultCpuTenths, ports }
  const text = JSON.stringify(repairs)
  return text === '{}' ? digest : createHash('sha256').update(`${digest} ${text}`).digest('hex')
}

function without(findings: ArchivedChallenge['findings'], repair: ImportRepair): ArchivedChallenge['findings'] {
  return findings.filter((finding) => finding.repair !== repair)
}

function canRun(challenge: Pick<Challenge, 'type' | 'containers'> & { readonly flags: readonly unknown[] }): boolean {
  const isBuilt = !hasContainer(challenge.type) || challenge.containers.every(({ image }) => image !== '')
  return isBuilt && !lacksFlag(challenge)
}

/** @throws Problem `request.parameter` if the challenge has no container, or the port is not valid */
function withPort({ described, ...archived }: ArchivedChallenge, port: number): ArchivedChallenge {
  const isValid = port >= InstanceLimits.minPort && port <= InstanceLimits.maxPort
  if (described === undefined || !hasContainer(described.challenge.type) || !isValid)
    throw new Problem('request.parameter', { detail: 'ports' })
  const definition = normalizeContainerDefinition(entryContainerOf(described.challenge).definition, port)
  const challenge = changeEntryContainer(described.challenge, { port, definition })
  return { ...archived, described: { ...described, challenge }, findings: without(archived.findings, 'port') }
}

/**
 * Decides whether a challenge is imported as enabled. This is the case only if the organizer chose to enable the challenges, and
 * the challenge can run. The value in the challenge file has no effect except the finding that offers the repair.
 */
function withEnabled(archived: ArchivedChallenge, enableAll: boolean): ArchivedChallenge {
  const { described, findings } = archived
  if (described === undefined) return archived
  const enabled = enableAll && canRun(described.challenge)
  const challenge = { ...described.challenge, enabled }
  return { ...archived, described: { ...described, challenge }, findings: enabled ? without(findings, 'enable') : findings }
}

/**
 * Applies repairs to the challenges of an archive: sets ports, and decides which challenges are enabled. Removes the findings that
 * are repaired.
 * @throws Problem `request.parameter` for a port that cannot be set
 */
export function applyImportRepairs(
  challenges: readonly ArchivedChallenge[],
  { enableAll = false, ports }: ImportRepairs,
): ArchivedChallenge[] {
  const chosen = new Map(ports?.split(',').map((each) => each.split(':').map(Number) as [number, number]))
  if ([...chosen.keys()].some((position) => position >= challenges.length))
    throw new Problem('request.parameter', { detail: 'ports' })
  return challenges.map((archived, position) => {
    const port = chosen.get(position)
    return withEnabled(port === undefined ? archived : withPort(archived, port), enableAll)
  })
}
