// Archive of a finished game as pages that need no server. Rules: docs/contract/games-and-joining.md#archive.
import { Readable } from 'node:stream'
import { safeFileName } from '@capstan/challenge-files/safe-names'
import type { LanguageCode } from '@capstan/contract/languages'
import { gamePhaseOf } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import { Guard } from '@capstan/http/guard'
import { type PackedFile, writeZip } from '../../challenges/archives/zip-writer.ts'
import { getGame, timesOfGame } from '../../games/editing/service.ts'
import { listStoredWriteups } from '../../games/writeups/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { listStoredHints } from '../../rules/scoring/hints.ts'
import { findFile, openFile } from '../../server/files/service.ts'
import type { Download } from '../../server/http/send-download.ts'
import { joinTextsIntoChunks } from '../../server/http/text-chunks.ts'
import { formatArchiveTimestamp } from '../../server/http/timestamps.ts'
import { findFreezeInstant } from '../../server/players/frozen-since.ts'
import { readFullScoreboard } from '../scoreboard/board-rows.ts'
import type { ScoreboardService } from '../scoreboard/service.ts'
import type { Html } from './html.ts'
import { findHashesOfStoredFiles } from './markdown.ts'
import { createMarkdownThread } from './markdown-thread.ts'
import { type ArchivedChallenge, createArchivePages, style } from './pages.ts'
import { createGameArchiveRepository } from './repository.ts'
import { omitTeamsFromBoard } from './shown-board.ts'

export type ArchiveRequest = Readonly<{
  gameId: number
  /** Ids of the participations whose writeups the archive contains. */
  writeups: ReadonlySet<number> | 'all'
  hasAttachments: boolean
  language: LanguageCode
}>

async function* textsOf(parts: AsyncIterable<Html>): AsyncGenerator<string> {
  for await (const { text } of parts) yield text
}

type ChallengeText = Awaited<ReturnType<ReturnType<typeof createGameArchiveRepository>['listTexts']>>[number]

function attachmentOf({ type, attachment }: ChallengeText, addFile: (hash: string, name: string) => string) {
  // The archive omits files that differ for each team.
  if (!attachment || type === 'DynamicAttachment') return undefined
  const { fileHash, fileName, remoteUrl } = attachment
  if (fileHash !== null) {
    const name = safeFileName(fileName ?? 'attachment')
    return { name, address: addFile(fileHash, name) }
  }
  return remoteUrl !== null && /^https?:/i.test(remoteUrl) ? { name: remoteUrl, address: remoteUrl } : undefined
}

/**
 * Writes the archive of a finished game.
 * @throws Problem `game.unknown`, `game.not-over`, or `game.frozen`. The archive of a game with a frozen board is refused,
 * because the archive would reveal the live board
 */
export async function writeGameArchive(
  deps: Pick<InstanceDeps, 'blobs' | 'clock' | 'db'> & Readonly<{ scoreboards: ScoreboardService }>,
  { gameId, writeups, hasAttachments, language }: ArchiveRequest,
): Promise<Download> {
  const { db, clock, scoreboards } = deps
  const game = await getGame(deps, gameId)
  const now = clock.now()
  if (gamePhaseOf(timesOfGame(game), now) !== 'ended') throw new Problem('game.not-over')
  if (findFreezeInstant(game, now)) throw new Problem('game.frozen')
  const repository = createGameArchiveRepository(db)
  const hidden = await repository.listHiddenTeams(gameId)
  const built = await scoreboards.readCurrent(gameId)
  if (!built) throw new Problem('game.unknown')
  const board = omitTeamsFromBoard(await readFullScoreboard(built.live), (id) => hidden.has(id))
  const onBoard = new Set(Object.values(board.challenges).flatMap((list) => list.map(({ id }) => id)))
  const texts = (await repository.listTexts(gameId)).filter(({ id }) => onBoard.has(id))

  const files = new Map<string, string>()
  const addFile = (hash: string, name: string) => {
    const address = files.get(hash) ?? `files/${hash.slice(0, 16)}-${safeFileName(name)}`
    files.set(hash, address)
    return address
  }
  const challenges = new Map<number, ArchivedChallenge>()
  for (const text of texts)
    challenges.set(text.id, {
      content: text.content,
      hints: listStoredHints(text).flatMap(({ text: hint, price }) => (price === 0 ? hint : [])),
      attachment: hasAttachments ? attachmentOf(text, addFile) : undefined,
    })
  for (const hash of [game.content, ...texts.map(({ content }) => content)].flatMap(findHashesOfStoredFiles)) {
    const file = files.has(hash) ? undefined : await findFile(deps, hash)
    if (file) addFile(hash, file.name)
  }

  const shownTeams = new Set(board.items.map(({ id }) => id))
  const chosen = (await listStoredWriteups(deps, gameId))
    .filter(({ participationId, team }) => shownTeams.has(team.id) && (writeups === 'all' || writeups.has(participationId)))
    .map(({ hash, participationId, team }) => ({ hash, team: team.name, address: `writeups/${participationId}.pdf` }))

  const folder = safeFileName(game.title)
  const markdown = createMarkdownThread()
  const pages = createArchivePages({
    title: game.title,
    content: game.content,
    startsAt: game.startsAt,
    endsAt: game.endsAt,
    board,
    challenges,
    writeups: chosen,
    fileOf: (hash) => files.get(hash),
    render: markdown.render,
    language,
  })
  const packed: PackedFile[] = [
    ...pages.map(({ path, parts }) => ({ path, open: async () => Readable.from(joinTextsIntoChunks(textsOf(parts()))) })),
    ...[...files].map(([hash, path]) => ({ path, open: () => openFile(deps, hash) })),
    ...chosen.map(({ hash, address: path }) => ({ path, open: () => openFile(deps, hash) })),
  ]
  const content = await writeZip(
    packed.map(({ path, open }) => ({ path: `${folder}/${path}`, open })),
    new Map([[`${folder}/style.css`, style]]),
  ).catch(async (error: unknown) => {
    await markdown.close()
    throw error
  })
  new Guard(undefined, content).once(content, 'close', () => markdown.close())
  return { fileName: `${game.title}-archive-${formatArchiveTimestamp(now)}.zip`, content }
}
