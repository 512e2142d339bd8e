import type { DescribedChallenge } from '@capstan/challenge-files/challenge/read'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { ImportPreview, ImportRepairs, ImportResult } from '@capstan/contract/exchange'
import { Problem } from '@capstan/contract/problems'
import { getGame, lockGame } from '../../games/editing/service.ts'
import type { ImportDeps, SentArchive } from '../archives/received-archive.ts'
import { insertChallenges, listChallengeTitles } from '../editing/exchange-service.ts'
import { finishChallengeEdits } from '../editing/store.ts'
import { withArchive } from './open-archive.ts'
import { parsePositions } from './parse-positions.ts'
import { presentPreview } from './presenter.ts'
import type { ReadArchive } from './read-archive.ts'
import { stageAndWrite, stageChallenges } from './staged-files.ts'

export type ImportChoice = Readonly<{
  /** Digest of the preview that the organizer saw. */
  digest: string | undefined
  /**
   * Positions of the challenges to import, such as `0-4,7`. If the value is undefined, all challenges that can be imported are
   * chosen.
   */
  take: string | undefined
  repairs: ImportRepairs
}>

/** @throws Problem `request.parameter` if a chosen challenge cannot be imported, or if no challenge is chosen */
function chooseChallenges({ challenges }: ReadArchive, take: string | undefined): DescribedChallenge[] {
  const positions = take === undefined ? undefined : parsePositions(take, challenges.length)
  const chosen = challenges.filter(({ described }, position) =>
    positions === undefined ? described !== undefined : positions.has(position),
  )
  const importable = chosen.flatMap(({ described }) => described ?? [])
  if (importable.length === 0 || importable.length < chosen.length) throw new Problem('request.parameter', { detail: 'take' })
  return importable
}

/** Returns the challenges that an import would create. @throws Problem `game.unknown`, `import.archive`, `request.parameter` */
export async function previewChallengeImport(
  deps: Pick<ImportDeps, 'archives' | 'config' | 'db'>,
  gameId: number,
  sent: SentArchive,
  repairs: ImportRepairs,
): Promise<ImportPreview> {
  const { db } = deps
  await getGame(deps, gameId)
  return withArchive(deps, sent, repairs, async (archive) => {
    return presentPreview(archive, archive.digest, await listChallengeTitles(db, gameId))
  })
}

/**
 * Imports challenges. A challenge is enabled only if the caller chose the repair that enables it.
 * @throws Problem `game.unknown`, `import.archive`, `import.changed`, `request.parameter`
 */
export async function importChallenges(
  deps: ImportDeps,
  gameId: number,
  sent: SentArchive,
  { digest, take, repairs }: ImportChoice,
): Promise<{ title: string; imported: ImportResult }> {
  const { title } = await getGame(deps, gameId)
  const { rows, edits } = await withArchive(deps, sent, repairs, async (archive) => {
    if (digest !== undefined && digest !== archive.digest) throw new Problem('import.changed')
    const chosen = chooseChallenges(archive, take)
    return stageAndWrite(
      deps,
      archive,
      (files) => stageChallenges(files, chosen),
      async (transaction, challenges) => {
        await lockGame(transaction, gameId)
        return insertChallenges(deps, transaction, gameId, challenges)
      },
    )
  })
  await finishChallengeEdits(deps, gameId, edits)
  return {
    title,
    imported: {
      challenges: rows.map(({ id, title, category }) => ({ id, title, category: category as ChallengeCategory })),
    },
  }
}
