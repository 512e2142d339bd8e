// Exports games and challenges as archives. Rules: docs/contract/challenges.md#import-and-export.
import { listPictureHashes } from '../../games/certificates/pictures.ts'
import { findCertificate } from '../../games/certificates/service.ts'
import { listDivisions } from '../../games/editing/division-service.ts'
import { getGame } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { findFile, openFile } from '../../server/files/service.ts'
import type { Download } from '../../server/http/send-download.ts'
import { writeZip } from '../archives/zip-writer.ts'
import { listChallengesForExport, type NumberedChallenge } from '../editing/exchange-service.ts'
import { type ChallengeFolder, createUniqueChallengeNames, writeChallengeFolder } from './challenge-folder.ts'
import { createTextsOfPackage } from './write-package.ts'

/** Formats a time in UTC as `20260131-180500`. */
function stampOf(time: Date): string {
  return time
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z$/g, '')
    .replace('T', '-')
}

const exporterVersion = '0.1.0'

function hashesIn(content: string): string[] {
  return [...content.matchAll(/\/assets\/([0-9a-f]{64})\//g)].map((match) => match[1] ?? '')
}

function attachedHashes({ challenge: { attachment, flags } }: NumberedChallenge): string[] {
  return [attachment, ...flags.map(({ file }) => file)].flatMap((file) => (file !== null && 'hash' in file ? [file.hash] : []))
}

async function stored(deps: Pick<InstanceDeps, 'db'>, hashes: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const hash of new Set(hashes)) {
    const file = await findFile(deps, hash)
    if (file) found.set(hash, file.sizeBytes)
  }
  return found
}

/** Exports the challenges of a game, each as a folder of challenge files. @throws Problem `game.unknown` */
export async function exportChallenges(deps: Pick<InstanceDeps, 'blobs' | 'clock' | 'db'>, gameId: number): Promise<Download> {
  const { db, clock } = deps
  const { title } = await getGame(deps, gameId)
  const challenges = await listChallengesForExport(db, gameId)
  const known = await stored(
    deps,
    challenges.flatMap(({ challenge }) => hashesIn(challenge.description)),
  )
  const names = createUniqueChallengeNames(challenges)
  const taken = new Set<string>()
  const folders: ChallengeFolder[] = []
  for (const each of challenges) folders.push(await writeChallengeFolder(each, names, taken, (hash) => known.has(hash)))
  const content = await writeZip(
    folders.flatMap(({ contents }) => contents.map(({ path, hash }) => ({ path, open: () => openFile(deps, hash) }))),
    new Map(folders.flatMap(({ texts }) => [...texts])),
  )
  return { fileName: `${title}-challenges-${stampOf(clock.now())}.zip`, content }
}

/** Exports a game as a package. @throws Problem `game.unknown` */
export async function exportGamePackage(deps: Pick<InstanceDeps, 'blobs' | 'clock' | 'db'>, gameId: number): Promise<Download> {
  const { db, clock } = deps
  const game = {
    game: await getGame(deps, gameId),
    certificate: await findCertificate(db, gameId),
    divisions: await listDivisions(deps, gameId),
  }
  const challenges = await listChallengesForExport(db, gameId)
  const { posterHash } = game.game
  const contents = await stored(deps, [
    ...challenges.flatMap(attachedHashes),
    ...(posterHash === null ? [] : [posterHash]),
    ...listPictureHashes(game.certificate),
  ])
  const exportedAt = clock.now()
  const content = await writeZip(
    [...contents.keys()].map((hash) => ({ path: `files/${hash}`, open: () => openFile(deps, hash) })),
    createTextsOfPackage(game, challenges, contents, { exportedAt, exporterVersion }),
  )
  return { fileName: `${game.game.title}-export-${stampOf(exportedAt)}.zip`, content }
}
