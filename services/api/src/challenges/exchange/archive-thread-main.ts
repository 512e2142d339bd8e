// The worker thread that reads an archive of challenges. `open-archive.ts` starts it.
import type { DefaultLimits } from '@capstan/challenge-files/importers/limits'
import { runArchiveReader } from '../archives/reading-program.ts'
import { listArchivePaths } from './archived-challenge.ts'
import { type LocatedArchive, readChallengeArchive } from './read-archive.ts'
import { findFilePathByHash, listPictureHashesOfGame } from './read-package.ts'

await runArchiveReader((archive, limits: DefaultLimits): LocatedArchive => {
  const result = readChallengeArchive(archive.tree, limits)
  const pictures = (result.game ? listPictureHashesOfGame(result.game) : []).flatMap(
    ({ hash }) => findFilePathByHash(archive.tree, hash) ?? [],
  )
  const needed = new Set([
    ...result.challenges.flatMap(({ described }) => (described === undefined ? [] : listArchivePaths(described))),
    ...pictures,
  ])
  return { ...result, files: new Map([...needed].map((path) => [path, archive.locate(path)])) }
})
