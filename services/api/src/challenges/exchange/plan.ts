import type { ChallengeOf } from '@capstan/challenge-files/challenge/challenge'
import { type DescribedChallenge, readDescribedChallenge } from '@capstan/challenge-files/challenge/read'
import type { GivenFile, Part } from '@capstan/challenge-files/challenge/read-files'
import { refuseFlagPattern } from '@capstan/challenge-files/flag-pattern'
import type { ChallengeFile } from '@capstan/challenge-files/format/challenge'
import { replaceMarkdownTargets } from '@capstan/challenge-files/markdown-targets'
import type { Finding, Outcome, Repairable } from '@capstan/challenge-files/report'
import type { FileTree } from '@capstan/challenge-files/tree'
import { pathOfStoredFile } from '@capstan/contract/asset-address'
import { InputLimits } from '@capstan/contract/limits'

/** Challenge to import. Its files are still in the archive. */
export type Plan = Pick<DescribedChallenge, 'challenge' | 'images' | 'name' | 'after'>

export type Planned = Readonly<{
  plan: Plan
  findings: readonly Finding[]
}>

/**
 * Returns the length of the stored description. The stored description contains the stored addresses of pictures, not
 * their paths in the archive.
 */
function storedLength({ challenge, images }: Plan): number {
  const addresses = new Map(images.map(({ reference, name }) => [reference, pathOfStoredFile('0'.repeat(64), name)] as const))
  return [...replaceMarkdownTargets(challenge.description, (reference) => addresses.get(reference))].length
}

/**
 * Plans the import of a described challenge. Adds findings about parts that cannot be stored.
 * @param file file with the description. The paths in the description are relative to its folder.
 */
export function planChallengeImport(tree: FileTree, file: string, described: ChallengeFile): Planned {
  const { challenge, images, name, after, findings: notes } = readDescribedChallenge(tree, file, described)
  const findings: Finding[] = []
  const note = (field: string, outcome: Outcome, why: string, advice?: string, repairable?: Repairable): void =>
    void findings.push({ file, line: 1, field, outcome, why, ...(advice !== undefined && { advice }), ...repairable })
  const flags = challenge.flags.filter(({ flag, kind }) => {
    const refusal = kind === 'Pattern' ? refuseFlagPattern(flag) : undefined
    if (refusal === undefined) return true
    const index = described.flags.findIndex((rule) => 'pattern' in rule && flag.endsWith(rule.pattern))
    note(
      `flags[${index}]`,
      'left-out',
      `The pattern is not valid RE2: ${refusal}.`,
      'Rewrite it in the editor and test it there.',
    )
    return false
  })
  findings.push(...notes)
  if (challenge.enabled)
    note('enabled', 'converted', 'The challenge is imported disabled.', 'Test it, then enable it.', { repair: 'enable' })
  const plan = { challenge: { ...challenge, flags, enabled: false }, images, name, after }
  if (storedLength(plan) > InputLimits.maxLongTextLength) note('description', 'refused', 'The description is too long.')
  return { plan, findings }
}

function partsOf(file: GivenFile | null): readonly Part[] {
  return file === null || 'url' in file ? [] : file.parts
}

function givenFilesOf({ attachment, flags }: ChallengeOf<GivenFile>): (GivenFile | null)[] {
  return [attachment, ...flags.map(({ file }) => file)]
}

/** Returns the paths of all archive files that a challenge uses. */
export function listArchivePathsOfPlan({ challenge, images }: Plan): string[] {
  return [
    ...givenFilesOf(challenge)
      .flatMap(partsOf)
      .flatMap((part) => ('path' in part ? [part.path] : [])),
    ...images.map(({ path }) => path),
  ]
}

export function listDownloadsOfPlan({ challenge }: Plan): string[] {
  return givenFilesOf(challenge).flatMap((file) => {
    if (file === null) return []
    return 'url' in file ? [file.url] : file.parts.map((part) => ('path' in part ? part.path : part.name))
  })
}
