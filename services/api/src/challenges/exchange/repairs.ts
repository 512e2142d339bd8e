import { createHash } from 'node:crypto'
import { normalizeContainerDefinition } from '@capstan/challenge-files/format/container'
import type { DefaultLimits } from '@capstan/challenge-files/importers/limits'
import { changeEntryContainer, entryContainerOf, lacksFlag } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import type { ImportRepair, ImportRepairs } from '@capstan/contract/exchange'
import { InstanceLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Plan } from './plan.ts'
import type { ArchivedChallenge } from './read-archive.ts'

export function defaultLimitsOfImportRepairs({ defaultMemoryMb, defaultCpuTenths }: ImportRepairs): DefaultLimits {
  return {
    ...(defaultMemoryMb !== undefined && { memoryMb: defaultMemoryMb }),
    ...(defaultCpuTenths !== undefined && { cpu: defaultCpuTenths / 10 }),
  }
}

/** Returns a digest that covers an archive and its repairs. Without repairs, it is the digest of the archive. */
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

function canRun({ challenge }: Plan): boolean {
  const isBuilt = !hasContainer(challenge.type) || challenge.containers.every(({ image }) => image !== '')
  return isBuilt && !lacksFlag(challenge)
}

/** @throws Problem `request.parameter` if the challenge has no container, or the port is not valid */
function withPort({ plan, ...read }: ArchivedChallenge, port: number): ArchivedChallenge {
  const isValid = port >= InstanceLimits.minPort && port <= InstanceLimits.maxPort
  if (plan === undefined || !hasContainer(plan.challenge.type) || !isValid)
    throw new Problem('request.parameter', { detail: 'ports' })
  const definition = normalizeContainerDefinition(entryContainerOf(plan.challenge).definition, port)
  const challenge = changeEntryContainer(plan.challenge, { port, definition })
  return { ...read, plan: { ...plan, challenge }, findings: without(read.findings, 'port') }
}

function withEnabled(read: ArchivedChallenge): ArchivedChallenge {
  const { plan } = read
  if (plan === undefined || !canRun(plan)) return read
  const challenge = { ...plan.challenge, enabled: true }
  return { ...read, plan: { ...plan, challenge }, findings: without(read.findings, 'enable') }
}

/**
 * Applies repairs to the challenges of an archive: sets ports and enables challenges. Removes the findings that are repaired.
 * @throws Problem `request.parameter` for a port that cannot be set
 */
export function applyImportRepairs(
  challenges: readonly ArchivedChallenge[],
  { enableAll, ports }: ImportRepairs,
): ArchivedChallenge[] {
  const chosen = new Map(ports?.split(',').map((each) => each.split(':').map(Number) as [number, number]))
  if ([...chosen.keys()].some((position) => position >= challenges.length))
    throw new Problem('request.parameter', { detail: 'ports' })
  return challenges.map((read, position) => {
    const port = chosen.get(position)
    const reachable = port === undefined ? read : withPort(read, port)
    return enableAll ? withEnabled(reachable) : reachable
  })
}
