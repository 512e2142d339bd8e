// The worker thread that reads an archive of challenges. `import-service.ts` starts it.
import type { DefaultLimits } from '@capstan/challenge-files/importers/limits'
import { runReadingProgram } from '../archives/reading-program.ts'
import { pathsOf } from './plan.ts'
import { type LocatedArchive, readArchive } from './read-archive.ts'
import { findPathByHash, pictureHashesOf } from './read-package.ts'

await runReadingProgram((archive, limits: DefaultLimits): LocatedArchive => {
  const result = readArchive(archive.tree, limits)
  const pictures = (result.game ? pictureHashesOf(result.game) : []).flatMap(
    ({ hash }) => findPathByHash(archive.tree, hash) ?? [],
  )
  const needed = new Set([...result.challenges.flatMap(({ plan }) => (plan === undefined ? [] : pathsOf(plan))), ...pictures])
  return { ...result, files: new Map([...needed].map((path) => [path, archive.locate(path)])) }
})
