import type { ChallengeOf } from '@capstan/challenge-files/challenge/challenge'
import { type DescribedChallenge, readDescribedChallenge } from '@capstan/challenge-files/challenge/read'
import type { GivenFile, Part } from '@capstan/challenge-files/challenge/read-files'
import type { ChallengeFile } from '@capstan/challenge-files/format/challenge'
import { replaceMarkdownTargets } from '@capstan/challenge-files/markdown-targets'
import type { Finding, Outcome, Repairable } from '@capstan/challenge-files/report'
import type { FileTree } from '@capstan/challenge-files/tree'
import { pathOfStoredFile } from '@capstan/contract/asset-address'
import type { ImportDialect } from '@capstan/contract/exchange'
import { ImportLimits, InputLimits } from '@capstan/contract/limits'

/** Challenge in an archive. `described` is absent if the challenge cannot be imported. Its files are still in the archive. */
export type ArchivedChallenge = Readonly<{
  dialect: ImportDialect
  file: string
  title: string
  described?: DescribedChallenge
  /**
   * Text of all Dockerfiles that the import creates for the challenge, for example of a Dockerfile that builds the challenge
   * without its sandbox.
   */
  dockerfile?: string
  findings: readonly Finding[]
}>

/**
 * Returns at most `ImportLimits.findingsOfChallenge` findings, refusals first. If there are more findings, an additional last
 * finding reports how many are omitted.
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

/** Returns a challenge with a limited number of findings, and without its description if a finding refuses the challenge. */
export function limitAndRefuse({ described, ...archived }: ArchivedChallenge): ArchivedChallenge {
  const findings = limitFindings(archived.findings, archived.file)
  const isRefused = archived.findings.some(({ outcome }) => outcome === 'refused')
  return { ...archived, ...(described === undefined || isRefused ? {} : { described }), findings }
}

/**
 * Returns the length of the stored description. The stored description contains the stored addresses of pictures, not
 * their paths in the archive.
 */
function storedLength({ challenge, images }: DescribedChallenge): number {
  const addresses = new Map(images.map(({ reference, name }) => [reference, pathOfStoredFile('0'.repeat(64), name)] as const))
  return [...replaceMarkdownTargets(challenge.description, (reference) => addresses.get(reference))].length
}

/**
 * Reads the challenge that a file describes, and adds findings about parts that cannot be stored.
 * @param archived the file, and the findings so far. The paths in `given` are relative to the folder of this file.
 */
export function readArchivedChallenge(tree: FileTree, archived: ArchivedChallenge, given: ChallengeFile): ArchivedChallenge {
  const { file } = archived
  const { findings: found, ...described } = readDescribedChallenge(tree, file, given)
  const findings: Finding[] = [...archived.findings, ...found]
  const note = (field: string, outcome: Outcome, why: string, advice?: string, repairable?: Repairable): void =>
    void findings.push({ file, line: 1, field, outcome, why, ...(advice !== undefined && { advice }), ...repairable })
  if (described.challenge.enabled)
    note('enabled', 'converted', 'The challenge is imported disabled.', 'Test it, then enable it.', { repair: 'enable' })
  if (storedLength(described) > InputLimits.maxLongTextLength) note('description', 'refused', 'The description is too long.')
  return limitAndRefuse({ ...archived, described, findings })
}

function partsOf(file: GivenFile | null): readonly Part[] {
  return file === null || 'url' in file ? [] : file.parts
}

function givenFilesOf({ attachment, flags }: ChallengeOf<GivenFile>): (GivenFile | null)[] {
  return [attachment, ...flags.map(({ file }) => file)]
}

/** Returns the paths of all archive files that a challenge uses. */
export function listArchivePaths({ challenge, images }: DescribedChallenge): string[] {
  return [
    ...givenFilesOf(challenge)
      .flatMap(partsOf)
      .flatMap((part) => ('path' in part ? [part.path] : [])),
    ...images.map(({ path }) => path),
  ]
}

export function listDownloads({ challenge }: DescribedChallenge): string[] {
  return givenFilesOf(challenge).flatMap((file) => {
    if (file === null) return []
    return 'url' in file ? [file.url] : file.parts.map((part) => ('path' in part ? part.path : part.name))
  })
}
