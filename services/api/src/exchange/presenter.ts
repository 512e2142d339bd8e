import type { Finding } from '@capstan/challenge-files/report'
import type { ImportedChallenge, ImportFinding, ImportPreview } from '@capstan/contract/exchange'
import { Defaults, InputLimits } from '@capstan/contract/limits'
import type { PlannedAttachment } from './plan.ts'
import type { ReadArchive, ReadChallenge } from './read-archive.ts'

const namesOf = (attachment: PlannedAttachment | undefined): string[] => {
  if (attachment === undefined) return []
  if (attachment.kind === 'url') return [attachment.url]
  return attachment.kind === 'file' ? [attachment.file.path] : attachment.files.map(({ path }) => path)
}

const presentFindings = (findings: readonly Finding[]): ImportFinding[] =>
  findings.map((finding) => ({ ...finding, advice: finding.advice ?? null }))

const presentChallenge = (
  { dialect, file, title, plan, dockerfile, findings }: ReadChallenge,
  position: number,
  knownTitles: ReadonlySet<string>,
): ImportedChallenge => {
  const originalScore = plan?.originalScore ?? Defaults.originalScore
  return {
    position,
    file,
    dialect,
    title,
    category: plan?.category ?? 'Misc',
    type: plan?.type ?? 'StaticAttachment',
    content: plan?.content ?? '',
    originalScore,
    minScore: Math.floor(originalScore * (plan?.minScoreRate ?? Defaults.minScoreRate)),
    flagCount: plan?.flags.length ?? 0,
    flagTemplate: plan?.flagTemplate ?? null,
    hintCount: plan?.hints.length ?? 0,
    attachments: [...namesOf(plan?.attachment), ...(plan?.flags ?? []).flatMap((flag) => namesOf(flag.attachment))].slice(
      0,
      InputLimits.filesPerUploadMax,
    ),
    container: plan?.container
      ? {
          image: plan.container.image,
          port: plan.container.port,
          memoryLimit: plan.container.memoryMb,
          cpuCount: plan.container.cpuTenths,
        }
      : null,
    dockerfile: dockerfile ?? null,
    isRefused: plan === undefined,
    isKnown: knownTitles.has(title),
    findings: presentFindings(findings),
  }
}

export const presentPreview = (archive: ReadArchive, digest: string, knownTitles: ReadonlySet<string>): ImportPreview => ({
  digest,
  fileCount: archive.fileCount,
  game: archive.game?.title ?? null,
  challenges: archive.challenges.map((each, position) => presentChallenge(each, position, knownTitles)),
  ...(archive.findings.length === 0 ? {} : { findings: presentFindings(archive.findings) }),
})
