// Writeups: reports of teams about their solutions. Rules: docs/contract/games-and-joining.md#writeups.
import { pathOfPicture, pathOfStoredFile } from '@capstan/contract/asset-address'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { WriteupDeadline, WriteupEntry, WriteupState } from '@capstan/contract/writeups'
import type { InstanceDeps } from '../../instances/deps.ts'
import { refusePlayerCall } from '../../rules/scoring/participation.ts'
import { deleteUnreferencedFiles, openFile, releaseFiles, storeFile } from '../../server/files/service.ts'
import type { UploadedFile } from '../../server/files/uploads.ts'
import type { ArchiveEntry } from '../../server/http/archive.ts'
import { formatArchiveTimestamp } from '../../server/http/timestamps.ts'
import type { Player, PlayerService } from '../../server/players/service.ts'
import { getGame, lockGameAgainstEdits, timesOfGame } from '../editing/service.ts'
import { refuseInvalidWriteupFile } from './policy.ts'
import { createWriteupRepository, type WriteupRow } from './repository.ts'

/** @throws the problems of `PlayerService.get` */
export async function getWriteupState(
  { players, db }: Pick<InstanceDeps & { readonly players: PlayerService }, 'db' | 'players'>,
  gameId: number,
  userId: string,
): Promise<WriteupState> {
  const { game, participation } = await players.get('readWriteup', gameId, userId)
  const { writeupHash, writeupName } = participation
  return {
    submitted: writeupHash !== null,
    name: writeupName ?? '#',
    fileSize: writeupHash === null ? 0 : await createWriteupRepository(db).findSize(writeupHash),
    note: game.writeupNote,
  }
}

/** @throws the problems of `getWriteupState` */
export async function getWriteupDeadline(
  { players }: Pick<InstanceDeps & { readonly players: PlayerService }, 'players'>,
  gameId: number,
  userId: string,
): Promise<WriteupDeadline> {
  const { game } = await players.get('readWriteup', gameId, userId)
  return { writeupDeadline: game.writeupDeadline.toISOString() }
}

/**
 * Checks that the caller may upload a writeup now.
 * @throws the problems of `getWriteupState`, or Problem `writeup.not-required`, `writeup.deadline`
 */
export async function assertWriteupUploadAllowed(
  { players }: Pick<InstanceDeps & { readonly players: PlayerService }, 'players'>,
  gameId: number,
  userId: string,
): Promise<Player> {
  const player = await players.get('uploadWriteup', gameId, userId)
  if (!player.game.writeupRequired) throw new Problem('writeup.not-required')
  return player
}

/**
 * Stores the writeup of a team and deletes the previous writeup. Checks again that the user may upload a writeup, because an
 * upload can take more than an hour.
 * @returns the title of the game
 * @throws Problem `writeup.format`, `file.missing`, `file.too-large`, and the problems of `assertWriteupUploadAllowed`
 */
export async function uploadWriteup(
  deps: Pick<InstanceDeps & { readonly players: PlayerService }, 'blobs' | 'clock' | 'config' | 'db'>,
  { game, participation }: Player,
  userId: string,
  file: UploadedFile,
): Promise<string> {
  const { clock } = deps
  const refusal = refuseInvalidWriteupFile(file)
  if (refusal) throw new Problem(refusal)
  const name = `Writeup-${game.id}-${participation.teamId}-${formatArchiveTimestamp(clock.now())}.pdf`
  let replaced: string | null = null
  await storeFile(deps, file.content, name, {
    maxBytes: Limits.maxWriteupBytes,
    adopt: async (transaction, { hash }) => {
      if (file.isTooLarge()) throw new Problem('file.too-large')
      const { game: current } = await lockGameAgainstEdits(transaction, game.id)
      const repository = createWriteupRepository(transaction)
      const lockedRow = await repository.lockParticipation(participation.id, userId)
      const uploadedAt = clock.now()
      const changed = refusePlayerCall('uploadWriteup', lockedRow?.status, timesOfGame(current), uploadedAt)
      if (changed || !lockedRow) throw new Problem(changed ?? 'participation.required')
      if (!current.writeupRequired) throw new Problem('writeup.not-required')
      replaced = lockedRow.writeupHash
      await repository.set(participation.id, { hash, name, uploadedAt })
      await releaseFiles(transaction, [replaced])
    },
  })
  await deleteUnreferencedFiles(deps, [replaced])
  return (await getGame(deps, game.id)).title
}

export async function listWriteups(
  deps: Pick<InstanceDeps & { readonly players: PlayerService }, 'db'>,
  gameId: number,
): Promise<WriteupEntry[]> {
  const { db } = deps
  await getGame(deps, gameId)
  const rows = await createWriteupRepository(db).list(gameId)
  return rows.map(({ participationId, hash, name, uploadedAt, team }) => ({
    id: participationId,
    team: {
      id: team.id,
      name: team.name,
      bio: team.bio,
      avatar: pathOfPicture(team.avatarHash, 'avatar'),
      locked: team.locked,
      members: null,
    },
    url: pathOfStoredFile(hash, name),
    uploadTimeUtc: uploadedAt.toISOString(),
  }))
}

/** Returns all writeups of a game with their stored files, newest first. */
export function listStoredWriteups({ db }: Pick<InstanceDeps, 'db'>, gameId: number): Promise<WriteupRow[]> {
  return createWriteupRepository(db).list(gameId)
}

/**
 * Returns the name of the archive of all writeups, and the files to pack into it.
 * @throws Problem `game.unknown`
 */
export async function getWriteupArchive(
  deps: Pick<InstanceDeps & { readonly players: PlayerService }, 'blobs' | 'clock' | 'db'>,
  gameId: number,
): Promise<{ baseName: string; entries: ArchiveEntry[] }> {
  const { db, clock } = deps
  const { title } = await getGame(deps, gameId)
  const rows = await createWriteupRepository(db).list(gameId)
  const entries = rows.map(({ hash, name, uploadedAt, sizeBytes }) => ({
    name,
    sizeBytes,
    modifiedAt: uploadedAt,
    open: () => openFile(deps, hash),
  }))
  return { baseName: `Writeups-${title}-${formatArchiveTimestamp(clock.now())}`, entries }
}

/** Deletes the writeups of all teams. @returns the title of the game @throws Problem `game.unknown` */
export async function deleteWriteups(
  deps: Pick<InstanceDeps & { readonly players: PlayerService }, 'blobs' | 'db'>,
  gameId: number,
): Promise<string> {
  const { db } = deps
  const { title } = await getGame(deps, gameId)
  const hashes = await db.transaction(async (transaction) => {
    const cleared = await createWriteupRepository(transaction).clear(gameId)
    await releaseFiles(transaction, cleared)
    return cleared
  })
  await deleteUnreferencedFiles(deps, hashes)
  return title
}
