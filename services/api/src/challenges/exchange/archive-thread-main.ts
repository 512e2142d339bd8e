// The worker thread that reads an archive of challenges. `open-archive.ts` starts it.
import type { ContainerChoices } from '@capstan/contract/container-definition'
import type { ImportRepairs } from '@capstan/contract/exchange'
import { runArchiveReader } from '../archives/reading-program.ts'
import { listArchivePaths } from './archived-challenge.ts'
import { removeUnsupportedSettings } from './fit-container.ts'
import { type LocatedArchive, readChallengeArchive } from './read-archive.ts'
import { findFilePathByHash, listPictureHashesOfGame } from './read-package.ts'
import { applyImportRepairs, defaultLimitsOfImportRepairs } from './repairs.ts'

export type ArchiveReaderOptions = Readonly<{
  repairs: ImportRepairs
  /** Container options that the platform allows. */
  choices: ContainerChoices
}>

await runArchiveReader((archive, { repairs, choices }: ArchiveReaderOptions): LocatedArchive => {
  const read = readChallengeArchive(archive.tree, defaultLimitsOfImportRepairs(repairs))
  const challenges = applyImportRepairs(read.challenges, repairs).map((each) => removeUnsupportedSettings(each, choices))
  const result = { ...read, challenges }
  const pictures = (result.game ? listPictureHashesOfGame(result.game) : []).flatMap(
    ({ hash }) => findFilePathByHash(archive.tree, hash) ?? [],
  )
  const needed = new Set([
    ...result.challenges.flatMap(({ described }) => (described === undefined ? [] : listArchivePaths(described))),
    ...pictures,
  ])
  return { ...result, files: new Map([...needed].map((path) => [path, archive.locate(path)])) }
})
