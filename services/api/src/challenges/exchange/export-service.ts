import { createGameService } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { createFileService } from '../../server/files/service.ts'
import type { Download } from '../../server/http/send-download.ts'
import { writeZip } from '../archives/zip-writer.ts'
import { challengeExchange, type NumberedChallenge } from '../editing/exchange-service.ts'
import { type OwnFolder, ownFolderOf } from './own-files.ts'
import { packageTexts } from './write-package.ts'

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

/** Exports games and challenges as archives. Rules: docs/contract/challenges.md#import-and-export. */
export function createExportService(deps: InstanceDeps) {
  const { db, clock } = deps
  const files = createFileService(deps)
  const games = createGameService(deps)

  const stored = async (hashes: readonly string[]): Promise<Map<string, number>> => {
    const found = new Map<string, number>()
    for (const hash of new Set(hashes)) {
      const file = await files.find(hash)
      if (file) found.set(hash, file.sizeBytes)
    }
    return found
  }

  return {
    /** Exports the challenges of a game, each as a folder of challenge files. @throws Problem `game.unknown` */
    async exportChallenges(gameId: number): Promise<Download> {
      const { title } = await games.get(gameId)
      const challenges = await challengeExchange.list(db, gameId)
      const known = await stored(challenges.flatMap(({ challenge }) => hashesIn(challenge.description)))
      const taken = { names: new Set<string>(), folders: new Set<string>() }
      const folders: OwnFolder[] = []
      for (const { challenge } of challenges) folders.push(await ownFolderOf(challenge, taken, (hash) => known.has(hash)))
      const content = writeZip(
        folders.flatMap(({ contents }) => contents.map(({ path, hash }) => ({ path, open: () => files.open(hash) }))),
        new Map(folders.flatMap(({ texts }) => [...texts])),
      )
      return { fileName: `${title}-challenges-${stampOf(clock.now())}.zip`, content }
    },

    /** Exports a game as a package. @throws Problem `game.unknown` */
    async exportPackage(gameId: number): Promise<Download> {
      const game = await games.getForEdit(gameId)
      const challenges = await challengeExchange.list(db, gameId)
      const { posterHash } = game.game
      const contents = await stored([...challenges.flatMap(attachedHashes), ...(posterHash === null ? [] : [posterHash])])
      const exportedAt = clock.now()
      const content = writeZip(
        [...contents.keys()].map((hash) => ({ path: `files/${hash}`, open: () => files.open(hash) })),
        packageTexts(game, challenges, contents, { exportedAt, exporterVersion }),
      )
      return { fileName: `${game.game.title}-export-${stampOf(exportedAt)}.zip`, content }
    },
  }
}
