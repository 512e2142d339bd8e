import { isDeepStrictEqual } from 'node:util'
import { findMissingFiles, readChallenge } from '@capstan/challenge-files/format/read'
import { formatChallengeFile } from '@capstan/challenge-files/format/write'
import { createImportComment } from '@capstan/challenge-files/importers/known-names'
import type { Placed } from '@capstan/challenge-files/importers/place'
import { addTextFiles, type FileTree } from '@capstan/challenge-files/tree'

/** Result for a challenge that is written as `capstan.yaml` and read again. */
export type RoundTrip = Readonly<{
  /** `waiting`: the challenge would be unchanged, but it refers to files that the repository lacks. */
  outcome: 'unchanged' | 'waiting' | 'changed'
  reasons: readonly string[]
}>

export function checkRoundTrip(tree: FileTree, { imported, challenge, target }: Placed): RoundTrip {
  const files = new Map([[target, formatChallengeFile(challenge, createImportComment(imported.file))]])
  for (const { path, text } of imported.dockerfiles ?? []) files.set(path, text)
  const written = addTextFiles(tree, files)
  const missing = findMissingFiles(written, target, challenge)
  for (const path of missing) files.set(path, '')
  const read = readChallenge(missing.length === 0 ? written : addTextFiles(tree, files), target)
  if (!isDeepStrictEqual(read.challenge, challenge)) {
    const reasons = read.findings.map(({ field, why }) => `${field}: ${why}`)
    return {
      outcome: 'changed',
      reasons: reasons.length > 0 ? reasons : ['The challenge differs after it is written to a file and read again.'],
    }
  }
  return missing.length === 0
    ? { outcome: 'unchanged', reasons: [] }
    : { outcome: 'waiting', reasons: missing.map((path) => `\`${path}\` is not in the repository.`) }
}
