import { findCapstanFilePaths, findCapstanFiles } from '@capstan/challenge-files/format/find'
import type { Imported } from '@capstan/challenge-files/importers/dialect'
import { importTree, listUnreadDescriptors, maxDescriptors } from '@capstan/challenge-files/importers/import'
import type { DefaultLimits } from '@capstan/challenge-files/importers/limits'
import type { PackageGame } from '@capstan/challenge-files/package/package'
import { type Finding, listUnreadFiles } from '@capstan/challenge-files/report'
import { type FileTree, folderOf, nameOf } from '@capstan/challenge-files/tree'
import { ImportLimits } from '@capstan/contract/limits'
import type { ArchivedFile } from '../archives/entry-stream.ts'
import { UnfitArchive } from '../archives/unfit-archive.ts'
import { type ArchivedChallenge, limitAndRefuse, readArchivedChallenge } from './archived-challenge.ts'
import { isGamePackage, listChallengeFilesOfPackage, readGamePackage } from './read-package.ts'

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

function importOthers(tree: FileTree, limits: DefaultLimits): Imported[] {
  try {
    return importTree(tree, limits)
  } catch (cause) {
    throw new UnfitArchive(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Removes prerequisites that are not in the archive, and reports them. */
function withKnownPrerequisites(challenges: readonly ArchivedChallenge[]): ArchivedChallenge[] {
  const names = new Set(challenges.flatMap(({ described }) => described?.name ?? []))
  return challenges.map((archived) => {
    const { file, described, findings } = archived
    const missing = described?.after.filter((name) => !names.has(name)) ?? []
    if (!described || missing.length === 0) return archived
    const why = `The archive has no challenge ${missing.map((name) => `\`${name}\``).join(', ')}.`
    const advice = 'Choose the prerequisites in the editor.'
    const found = { file, line: 1, field: 'unlock.after', outcome: 'left-out', why, advice } as const
    const after = described.after.filter((name) => names.has(name))
    return limitAndRefuse({ ...archived, described: { ...described, after }, findings: [...findings, found] })
  })
}

function refuseTooMany(files: readonly string[]): void {
  if (files.length > maxDescriptors) throw new UnfitArchive(`The archive has more than ${maxDescriptors} challenges.`)
}

function readPackage(tree: FileTree): Omit<ReadArchive, 'fileCount' | 'findings'> {
  refuseTooMany(listChallengeFilesOfPackage(tree))
  const { game, problems, challenges } = readGamePackage(tree)
  return {
    challenges: withKnownPrerequisites(challenges.map(limitAndRefuse)),
    ...(game === undefined || problems.length > 0 ? {} : { game }),
    gameProblems: problems,
  }
}

/** Challenge file in the format of this platform, or a challenge of another format after its conversion. */
type FoundChallenge = Omit<Imported, 'dialect'> & Pick<ArchivedChallenge, 'dialect'>

function readFound(tree: FileTree, { dialect, file, challenge, dockerfiles = [], findings }: FoundChallenge): ArchivedChallenge {
  const archived: ArchivedChallenge = {
    dialect,
    file,
    title: challenge?.title ?? nameOf(folderOf(file)),
    ...(dockerfiles.length > 0 && { dockerfile: dockerfiles.map(({ text }) => text).join('\n') }),
    findings,
  }
  return challenge === undefined ? limitAndRefuse(archived) : readArchivedChallenge(tree, archived, challenge)
}

function readFolders(tree: FileTree, limits: DefaultLimits): Pick<ReadArchive, 'challenges' | 'findings'> {
  refuseTooMany(findCapstanFilePaths(tree))
  const own = findCapstanFiles(tree).files.flatMap((read) =>
    read.kind === 'Challenge' ? [{ ...read, dialect: 'capstan' as const }] : [],
  )
  const ownFolders = new Set(own.map(({ file }) => folderOf(file)))
  const isOther = (file: string): boolean => !ownFolders.has(folderOf(file))
  const imported = importOthers(tree, limits)
  const challenges = [...own, ...imported.filter(({ file }) => isOther(file))]
    .map((found) => readFound(tree, found))
    .sort((a, b) => (a.file < b.file ? -1 : 1))
  if (challenges.length === 0)
    throw new UnfitArchive(
      'No challenge was found. The archive has neither a `capstan.yaml` nor a file in another supported format.',
    )
  const unread = listUnreadDescriptors(tree, imported).filter(isOther)
  const unknown = new Map(unread.map((file) => [file, 'is not imported, because its format is not known']))
  return {
    challenges: withKnownPrerequisites(challenges),
    findings: listUnreadFiles({ leftOut: unknown }, ImportLimits.findingsOfChallenge),
  }
}

/**
 * Reads all challenges of a package, or of folders in any format. If a folder has challenge files in several formats, the file in
 * the format of this platform takes precedence.
 * @param limits resource limits for containers whose challenge files set none
 * @throws UnfitArchive if the archive has no challenges or too many challenges
 */
export function readChallengeArchive(tree: FileTree, limits: DefaultLimits = {}): ReadArchive {
  const fileCount = tree.paths.length
  const unread = listUnreadFiles(tree, ImportLimits.findingsOfChallenge)
  if (isGamePackage(tree)) return { fileCount, ...readPackage(tree), findings: unread }
  const { challenges, findings } = readFolders(tree, limits)
  return { fileCount, challenges, gameProblems: [], findings: [...unread, ...findings] }
}
