import { findCapstanFilePaths, findCapstanFiles } from '@capstan/challenge-files/format/find'
import type { ReadChallenge as ReadOwn } from '@capstan/challenge-files/format/read'
import type { Imported } from '@capstan/challenge-files/importers/dialect'
import { importTree, listUnreadDescriptors, maxDescriptors } from '@capstan/challenge-files/importers/import'
import type { DefaultLimits } from '@capstan/challenge-files/importers/limits'
import type { PackageGame } from '@capstan/challenge-files/package/package'
import { type Finding, listUnreadFiles } from '@capstan/challenge-files/report'
import { type FileTree, folderOf, nameOf } from '@capstan/challenge-files/tree'
import type { ImportDialect } from '@capstan/contract/exchange'
import { ImportLimits } from '@capstan/contract/limits'
import type { ArchivedFile } from '../archives/entry-stream.ts'
import { UnfitArchive } from '../archives/unfit-archive.ts'
import { type Plan, planChallengeImport } from './plan.ts'
import { isGamePackage, listChallengeFilesOfPackage, readGamePackage } from './read-package.ts'

/** Challenge in an archive. `plan` is absent if the challenge cannot be imported. */
export type ArchivedChallenge = Readonly<{
  dialect: ImportDialect
  file: string
  title: string
  plan?: Plan
  /**
   * Text of all Dockerfiles that the import creates for the challenge. Such a Dockerfile can, for example, build the challenge
   * without its sandbox.
   */
  dockerfile?: string
  findings: readonly Finding[]
}>

export type ReadArchive = Readonly<{
  fileCount: number
  challenges: readonly ArchivedChallenge[]
  /** Game of a package. `gameProblems` contains the problems that prevent the import of the game. */
  game?: PackageGame
  gameProblems: readonly Finding[]
  /** Findings about entries that cannot be read. */
  findings: readonly Finding[]
}>

/** Content of an archive, with the position of each file that the challenges need. */
export type LocatedArchive = ReadArchive &
  Readonly<{
    files: ReadonlyMap<string, ArchivedFile>
  }>

function planOwn(tree: FileTree, { file, challenge, findings }: ReadOwn): ArchivedChallenge {
  const title = challenge?.title ?? nameOf(folderOf(file))
  if (challenge === undefined) return finish({ dialect: 'capstan', file, title, findings })
  const planned = planChallengeImport(tree, file, challenge)
  return finish({ dialect: 'capstan', file, title, plan: planned.plan, findings: [...findings, ...planned.findings] })
}

function importOthers(tree: FileTree, limits: DefaultLimits): Imported[] {
  try {
    return importTree(tree, limits)
  } catch (cause) {
    throw new UnfitArchive(cause instanceof Error ? cause.message : String(cause))
  }
}

/**
 * Returns at most `ImportLimits.findingsOfChallenge` findings, refusals first. If there are more, an additional finding contains
 * the number of omitted findings.
 */
function limitFindings(findings: readonly Finding[], file: string): readonly Finding[] {
  const max = ImportLimits.findingsOfChallenge
  if (findings.length <= max) return findings
  const severity = (finding: Finding): number => (finding.outcome === 'refused' ? 0 : 1)
  const why = `${findings.length - max} more findings of this challenge are not listed.`
  return [
    ...findings.toSorted((a, b) => severity(a) - severity(b)).slice(0, max),
    {
      file,
      line: 1,
      field: '',
      outcome: 'left-out',
      why,
      advice: 'Correct the listed fields, then import again to see the others.',
    },
  ]
}

function finish({ plan, ...read }: ArchivedChallenge): ArchivedChallenge {
  const findings = limitFindings(read.findings, read.file)
  const isRefused = read.findings.some(({ outcome }) => outcome === 'refused')
  return { ...read, ...(plan === undefined || isRefused ? {} : { plan }), findings }
}

/** Removes prerequisites that are not in the archive, and reports them. */
function withKnownPrerequisites(challenges: readonly ArchivedChallenge[]): ArchivedChallenge[] {
  const names = new Set(challenges.flatMap(({ plan }) => plan?.name ?? []))
  return challenges.map(({ plan, ...read }) => {
    const missing = plan?.after.filter((name) => !names.has(name)) ?? []
    if (!plan || missing.length === 0) return { ...read, ...(plan && { plan }) }
    const why = `The archive has no challenge ${missing.map((name) => `\`${name}\``).join(', ')}.`
    const advice = 'Choose the prerequisites in the editor.'
    const found = { file: read.file, line: 1, field: 'unlock.after', outcome: 'left-out', why, advice } as const
    const after = plan.after.filter((name) => names.has(name))
    return finish({ ...read, plan: { ...plan, after }, findings: [...read.findings, found] })
  })
}

function refuseTooMany(files: readonly string[]): void {
  if (files.length > maxDescriptors) throw new UnfitArchive(`The archive has more than ${maxDescriptors} challenges.`)
}

/**
 * Reads all challenges of a package, or of folders in any format. If a folder has challenge files in several formats, the file in
 * the format of this platform takes precedence.
 * @param limits resource limits for containers whose challenge files set none
 * @throws UnfitArchive if the archive has no challenge or too many
 */
export function readChallengeArchive(tree: FileTree, limits: DefaultLimits = {}): ReadArchive {
  const fileCount = tree.paths.length
  const findings = listUnreadFiles(tree, ImportLimits.findingsOfChallenge)
  if (isGamePackage(tree)) {
    refuseTooMany(listChallengeFilesOfPackage(tree))
    const { game, problems, challenges } = readGamePackage(tree)
    return {
      fileCount,
      challenges: withKnownPrerequisites(challenges.map((each) => finish({ dialect: 'package', ...each }))),
      ...(game === undefined || problems.length > 0 ? {} : { game }),
      gameProblems: problems,
      findings,
    }
  }
  refuseTooMany(findCapstanFilePaths(tree))
  const own = findCapstanFiles(tree).files.flatMap((read) => (read.kind === 'Challenge' ? [read] : []))
  const ownFolders = new Set(own.map(({ file }) => folderOf(file)))
  const imported = importOthers(tree, limits)
  const unread = listUnreadDescriptors(tree, imported).filter((file) => !ownFolders.has(folderOf(file)))
  const unknown = new Map(unread.map((file) => [file, 'is not imported, because its format is not known']))
  const others = imported
    .filter(({ file }) => !ownFolders.has(folderOf(file)))
    .map(({ dialect, file, challenge, dockerfiles = [], findings }): ArchivedChallenge => {
      const title = challenge?.title ?? nameOf(folderOf(file))
      const converted = dockerfiles.length === 0 ? {} : { dockerfile: dockerfiles.map(({ text }) => text).join('\n') }
      if (challenge === undefined) return finish({ dialect, file, title, findings, ...converted })
      const planned = planChallengeImport(tree, file, challenge)
      return finish({ dialect, file, title, plan: planned.plan, findings: [...findings, ...planned.findings], ...converted })
    })
  const challenges = [...own.map((read) => planOwn(tree, read)), ...others].sort((a, b) => (a.file < b.file ? -1 : 1))
  if (challenges.length === 0)
    throw new UnfitArchive(
      'No challenge was found. The archive has neither a `capstan.yaml` nor a file in another supported format.',
    )
  return {
    fileCount,
    challenges: withKnownPrerequisites(challenges),
    gameProblems: [],
    findings: [...findings, ...listUnreadFiles({ leftOut: unknown }, ImportLimits.findingsOfChallenge)],
  }
}
