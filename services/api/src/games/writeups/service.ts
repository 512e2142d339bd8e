import { fileAddress, pictureAddress } from '@capstan/contract/asset-address'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { WriteupDeadline, WriteupEntry, WriteupState } from '@capstan/contract/writeups'
import type { InstanceDeps } from '../../instances/deps.ts'
import { createFileService } from '../../server/files/service.ts'
import type { UploadedFile } from '../../server/files/uploads.ts'
import type { ArchiveEntry } from '../../server/http/archive.ts'
import { archiveStamp } from '../../server/http/timestamps.ts'
import type { Player, PlayerService } from '../../server/players/service.ts'
import { createGameService } from '../editing/service.ts'
import { refuseName } from './policy.ts'
import { writeupRepository } from './repository.ts'

/** Writeups: reports of teams about their solutions. Rules: docs/contract/games-and-joining.md#writeups. */
export function createWriteupService(deps: InstanceDeps & { readonly players: PlayerService }) {
  const { db, clock, players } = deps
  const games = createGameService(deps)
  const files = createFileService(deps)

  return {
    /** @throws Problem as `PlayerService.get` */
    async getState(gameId: number, userId: string): Promise<WriteupState> {
      const { game, participation } = await players.get('readWriteup', gameId, userId)
      const { writeupHash, writeupName } = participation
      return {
        submitted: writeupHash !== null,
        name: writeupName ?? '#',
        fileSize: writeupHash === null ? 0 : await writeupRepository(db).findSize(writeupHash),
        note: game.writeupNote,
      }
    },

    /** @throws Problem as `getState` */
    async getDeadline(gameId: number, userId: string): Promise<WriteupDeadline> {
      const { game } = await players.get('readWriteup', gameId, userId)
      return { writeupDeadline: game.writeupDeadline.toISOString() }
    },

    /**
     * Checks that the caller may upload a writeup now.
     * @throws Problem as `getState`, `writeup.not-required`, `writeup.deadline`
     */
    async getUploader(gameId: number, userId: string): Promise<Player> {
      const player = await players.get('uploadWriteup', gameId, userId)
      if (!player.game.writeupRequired) throw new Problem('writeup.not-required')
      return player
    },

    /**
     * Stores the writeup of a team and deletes its old one.
     * @returns the title of the game
     * @throws Problem `writeup.format`, `file.missing`, `file.too-large`
     */
    async upload({ game, participation }: Player, file: UploadedFile): Promise<string> {
      const refusal = refuseName(file)
      if (refusal) throw new Problem(refusal)
      const uploadedAt = clock.now()
      const name = `Writeup-${game.id}-${participation.teamId}-${archiveStamp(uploadedAt)}.pdf`
      let replaced: string | null = null
      await files.store(file.content, name, {
        maxBytes: Limits.writeupMaxBytes,
        adopt: async (transaction, { hash }) => {
          if (file.isTooLarge()) throw new Problem('file.too-large')
          const repository = writeupRepository(transaction)
          const held = await repository.lockParticipation(participation.id)
          if (!held) throw new Problem('participation.required')
          replaced = held.writeupHash
          await repository.set(participation.id, { hash, name, uploadedAt })
          await files.release(transaction, [replaced])
        },
      })
      await files.sweep([replaced])
      return (await games.get(game.id)).title
    },

    /** Lists writeups, newest first. @throws Problem `game.unknown` */
    async list(gameId: number): Promise<WriteupEntry[]> {
      await games.get(gameId)
      const rows = await writeupRepository(db).list(gameId)
      return rows.map(({ participationId, hash, name, uploadedAt, team }) => ({
        id: participationId,
        team: {
          id: team.id,
          name: team.name,
          bio: team.bio,
          avatar: pictureAddress(team.avatarHash, 'avatar'),
          locked: team.locked,
          members: null,
        },
        url: fileAddress(hash, name),
        uploadTimeUtc: uploadedAt.toISOString(),
      }))
    },

    /** Returns name and files of the archive of all writeups. @throws Problem `game.unknown` */
    async getArchive(gameId: number): Promise<{ baseName: string; entries: ArchiveEntry[] }> {
      const { title } = await games.get(gameId)
      const rows = await writeupRepository(db).list(gameId)
      const entries = rows.map(({ hash, name, uploadedAt, sizeBytes }) => ({
        name,
        sizeBytes,
        modifiedAt: uploadedAt,
        open: () => files.open(hash),
      }))
      return { baseName: `Writeups-${title}-${archiveStamp(clock.now())}`, entries }
    },

    /** Deletes the writeups of all teams. @returns the title of the game @throws Problem `game.unknown` */
    async deleteAll(gameId: number): Promise<string> {
      const { title } = await games.get(gameId)
      const hashes = await db.transaction(async (transaction) => {
        const cleared = await writeupRepository(transaction).clear(gameId)
        await files.release(transaction, cleared)
        return cleared
      })
      await files.sweep(hashes)
      return title
    },
  }
}
