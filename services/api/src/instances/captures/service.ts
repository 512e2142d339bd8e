import type { Readable } from 'node:stream'
import { pictureAddress } from '@capstan/contract/asset-address'
import type { CapturedChallenge, CapturedTeam, CaptureFile, CountedCapture } from '@capstan/contract/captures'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { Problem } from '@capstan/contract/problems'
import { blobKeys } from '../../server/files/blob-keys.ts'
import type { ArchiveEntry } from '../../server/http/archive.ts'
import type { InstanceDeps } from '../deps.ts'
import { type CaptureFolder, type CaptureRow, captureRepository } from './repository.ts'

function presentFile({ fileName, sizeBytes, updatedAt }: CaptureRow): CaptureFile {
  return {
    fileName,
    size: sizeBytes,
    updateTime: updatedAt.toISOString(),
  }
}

/**
 * Stored traffic of instances. The table decides what exists. Names from clients are only compared with it and never become a
 * path. Rules: docs/contract/captures-and-monitor.md#captures.
 */
export function createCaptureService({ db, blobs }: Pick<InstanceDeps, 'db' | 'blobs'>) {
  const captures = captureRepository(db)
  const keyOf = ({ challengeId, participationId }: CaptureFolder, fileName: string) =>
    blobKeys.capture(challengeId, participationId, fileName)
  const open = (row: CaptureRow): Promise<Readable> => blobs.get(keyOf(row, row.fileName))
  return {
    async listChallenges(gameId: number): Promise<CapturedChallenge[]> {
      const rows = await captures.listChallenges(gameId)
      return rows.map((row) => ({ ...row, category: row.category as ChallengeCategory }))
    },
    /** @throws Problem `capture.unknown` if no team has any */
    async listTeams(challengeId: number): Promise<CapturedTeam[]> {
      const rows = await captures.listTeams(challengeId)
      if (rows.length === 0) throw new Problem('capture.unknown')
      return rows.map(({ division, avatarHash, ...row }) => ({
        ...row,
        organization: division,
        avatar: pictureAddress(avatarHash, 'avatar'),
      }))
    },
    async list(folder: CaptureFolder): Promise<CaptureFile[]> {
      const rows = await captures.list(folder)
      return rows.map(presentFile)
    },
    async listCounted(folder: CaptureFolder): Promise<CountedCapture[]> {
      const rows = await captures.list(folder)
      return rows.map((row) => ({ ...presentFile(row), packets: row.packets }))
    },
    async listEntries(folder: CaptureFolder): Promise<ArchiveEntry[]> {
      const rows = await captures.list(folder)
      return rows.map((row) => ({
        name: row.fileName,
        sizeBytes: row.sizeBytes,
        modifiedAt: row.updatedAt,
        open: () => open(row),
      }))
    },
    /** @throws Problem `capture.unknown` */
    async open(folder: CaptureFolder, fileName: string): Promise<{ sizeBytes: number; content: Readable }> {
      const row = await captures.find(folder, fileName)
      if (!row) throw new Problem('capture.unknown')
      return { sizeBytes: row.sizeBytes, content: await open(row) }
    },
    /** Returns the names of the challenge and the team, for the log. */
    async describe(folder: CaptureFolder): Promise<string> {
      const names = await captures.findNames(folder)
      return names ? `"${names.challenge}" by team "${names.team}"` : 'a challenge and a team that are not there'
    },
    /** @throws Problem `capture.unknown` */
    async delete(folder: CaptureFolder, fileName: string): Promise<void> {
      const deleted = await captures.delete(folder, fileName)
      if (deleted.length === 0) throw new Problem('capture.unknown')
      await blobs.delete(keyOf(folder, fileName))
    },
    /** Deletes all captures. An empty folder is no error. */
    async deleteAll(folder: CaptureFolder): Promise<void> {
      for (const fileName of await captures.delete(folder)) await blobs.delete(keyOf(folder, fileName))
    },
  }
}
