import { groupFindings } from '@capstan/challenge-files/grouped-findings'
import type { Finding } from '@capstan/challenge-files/report'
import { entryContainerOf } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import type { ImportedChallenge, ImportFinding, ImportPreview } from '@capstan/contract/exchange'
import { InputLimits, ScoreDefaults } from '@capstan/contract/limits'
import { type ArchivedChallenge, listDownloads } from './archived-challenge.ts'
import type { ReadArchive } from './read-archive.ts'

function presentFindings(findings: readonly Finding[]): ImportFinding[] {
  return findings.map(({ advice = null, ports, ...finding }) => ({ ...finding, advice, ...(ports && { ports: [...ports] }) }))
}

function presentChallenge(
  { dialect, file, title, described, dockerfile, findings }: ArchivedChallenge,
  position: number,
  knownTitles: ReadonlySet<string>,
): ImportedChallenge {
  const challenge = described?.challenge
  const points = challenge?.points ?? ScoreDefaults.points
  const container = challenge && hasContainer(challenge.type) ? entryContainerOf(challenge) : undefined
  return {
    position,
    file,
    dialect,
    title,
    category: challenge?.category ?? 'Misc',
    type: challenge?.type ?? 'StaticAttachment',
    content: challenge?.description ?? '',
    originalScore: points,
    minScore: Math.floor(points * (challenge?.minimumShare ?? ScoreDefaults.minimumShare)),
    flagCount: challenge?.flags.length ?? 0,
    flagTemplate: challenge?.template || null,
    hintCount: challenge?.hints.length ?? 0,
    attachments: described ? listDownloads(described).slice(0, InputLimits.maxFilesPerUpload) : [],
    container: container
      ? { image: container.image, port: container.port, memoryLimit: container.memoryMb, cpuCount: container.cpuTenths }
      : null,
    dockerfile: dockerfile ?? null,
    isEnabled: challenge?.enabled ?? false,
    isRefused: described === undefined,
    isKnown: knownTitles.has(title),
    findings: presentFindings(findings),
  }
}

export function presentPreview(archive: ReadArchive, digest: string, knownTitles: ReadonlySet<string>): ImportPreview {
  return {
    digest,
    fileCount: archive.fileCount,
    game: archive.game?.title ?? null,
    challenges: archive.challenges.map((each, position) => presentChallenge(each, position, knownTitles)),
    groups: groupFindings(archive.challenges.flatMap(({ findings }) => findings)).map(
      ({ advice = null, findings, ...group }) => ({
        ...group,
        advice,
        findings: presentFindings(findings),
      }),
    ),
    ...(archive.findings.length === 0 ? {} : { findings: presentFindings(archive.findings) }),
  }
}
