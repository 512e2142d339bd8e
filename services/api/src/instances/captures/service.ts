// Stored traffic of instances. Clients can only reach captures that have a row in the table. File names from clients
// are compared with these rows, and never become a path. Rules: docs/contract/captures-and-monitor.md#captures.
import { Readable } from 'node:stream'
import { pathOfPicture } from '@capstan/contract/asset-address'
import type { CapturedChallenge, CapturedTeam, CaptureFile, CountedCapture } from '@capstan/contract/captures'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { defaultContainerName } from '@capstan/contract/containers'
import { Problem } from '@capstan/contract/problems'
import { blobKeys } from '../../server/files/blob-keys.ts'
import type { ArchiveEntry } from '../../server/http/archive.ts'
import type { InstanceDeps } from '../deps.ts'
import { mergeStreamsByTime } from './merge.ts'
import { type Packet, readPackets } from './packets.ts'
import { writePcapng } from './pcapng.ts'
import { type CaptureFolder, type CaptureRow, createCaptureRepository } from './repository.ts'
import { originOfCaptureFile } from './segment.ts'

function presentFile({ fileName, sizeBytes, updatedAt }: CaptureRow): CaptureFile {
  return {
    fileName,
    size: sizeBytes,
    updateTime: updatedAt.toISOString(),
  }
}

function keyOf({ challengeId, participationId }: CaptureFolder, fileName: string) {
  return blobKeys.capture(challengeId, participationId, fileName)
}

function open({ blobs }: Pick<InstanceDeps, 'blobs'>, row: CaptureRow): Promise<Readable> {
  return blobs.get(keyOf(row, row.fileName))
}

export async function listCapturedChallenges({ db }: Pick<InstanceDeps, 'db'>, gameId: number): Promise<CapturedChallenge[]> {
  const captures = createCaptureRepository(db)
  const rows = await captures.listChallenges(gameId)
  return rows.map((row) => ({ ...row, category: row.category as ChallengeCategory }))
}

/** @throws Problem `capture.unknown` if the challenge has no recordings */
export async function listCapturedTeams({ db }: Pick<InstanceDeps, 'db'>, challengeId: number): Promise<CapturedTeam[]> {
  const captures = createCaptureRepository(db)
  const rows = await captures.listTeams(challengeId)
  if (rows.length === 0) throw new Problem('capture.unknown')
  return rows.map(({ division, avatarHash, ...row }) => ({
    ...row,
    organization: division,
    division,
    avatar: pathOfPicture(avatarHash, 'avatar'),
  }))
}

export async function listCaptures({ db }: Pick<InstanceDeps, 'db'>, folder: CaptureFolder): Promise<CaptureFile[]> {
  const captures = createCaptureRepository(db)
  const rows = await captures.list(folder)
  return rows.map(presentFile)
}

export async function listCapturesWithPacketCounts(
  { db }: Pick<InstanceDeps, 'db'>,
  folder: CaptureFolder,
): Promise<CountedCapture[]> {
  const captures = createCaptureRepository(db)
  const rows = await captures.list(folder)
  return rows.map((row) => ({
    ...presentFile(row),
    packets: row.packets,
    container: originOfCaptureFile(row.fileName).container,
  }))
}

export async function listArchiveEntriesOfCaptures(
  deps: Pick<InstanceDeps, 'db' | 'blobs'>,
  folder: CaptureFolder,
): Promise<ArchiveEntry[]> {
  const { db } = deps
  const captures = createCaptureRepository(db)
  const rows = await captures.list(folder)
  return rows.map((row) => ({
    name: row.fileName,
    sizeBytes: row.sizeBytes,
    modifiedAt: row.updatedAt,
    open: () => open(deps, row),
  }))
}

/** @throws Problem `capture.unknown` */
export async function openCapture(
  deps: Pick<InstanceDeps, 'db' | 'blobs'>,
  folder: CaptureFolder,
  fileName: string,
): Promise<{ sizeBytes: number; content: Readable }> {
  const { db } = deps
  const captures = createCaptureRepository(db)
  const row = await captures.find(folder, fileName)
  if (!row) throw new Problem('capture.unknown')
  return { sizeBytes: row.sizeBytes, content: await open(deps, row) }
}

/** Reads the packets from the capture files of one container, one file after another in the order of time. */
async function* packetsOf(deps: Pick<InstanceDeps, 'blobs'>, rows: readonly CaptureRow[]): AsyncGenerator<Packet> {
  const ordered = rows
    .map((row) => ({ row, ...originOfCaptureFile(row.fileName) }))
    .toSorted((one, other) => (one.order < other.order ? -1 : 1))
  for (const { row } of ordered) yield* readPackets(await open(deps, row))
}

/**
 * Returns a pcapng file with the packets of all containers sorted by time.
 * @param container name of the only container whose packets are included; if absent, all containers are included
 * @throws Problem `capture.unknown` if there are no files
 */
export async function mergeCaptures(
  deps: Pick<InstanceDeps, 'db' | 'blobs'>,
  folder: CaptureFolder,
  container?: string,
): Promise<Readable> {
  const rows = await createCaptureRepository(deps.db).list(folder)
  const byContainer = Map.groupBy(rows, ({ fileName }) => originOfCaptureFile(fileName).container ?? defaultContainerName)
  const merged = [...byContainer].filter(([name]) => container === undefined || name === container)
  if (merged.length === 0) throw new Problem('capture.unknown')
  const packets = mergeStreamsByTime(merged.map(([, files]) => packetsOf(deps, files)))
  return Readable.from(
    writePcapng(
      packets,
      merged.map(([name]) => name),
    ),
    { objectMode: false },
  )
}

export async function describeCaptureFolder({ db }: Pick<InstanceDeps, 'db'>, folder: CaptureFolder): Promise<string> {
  const captures = createCaptureRepository(db)
  const names = await captures.findNames(folder)
  return names ? `"${names.challenge}" by team "${names.team}"` : 'a deleted challenge or team'
}

/** @throws Problem `capture.unknown` */
export async function deleteCapture(
  { db, blobs }: Pick<InstanceDeps, 'db' | 'blobs'>,
  folder: CaptureFolder,
  fileName: string,
): Promise<void> {
  const captures = createCaptureRepository(db)
  const deleted = await captures.delete(folder, fileName)
  if (deleted.length === 0) throw new Problem('capture.unknown')
  await blobs.delete(keyOf(folder, fileName))
}

/** Deletes all captures. Succeeds even if there are none. */
export async function deleteCaptures({ db, blobs }: Pick<InstanceDeps, 'db' | 'blobs'>, folder: CaptureFolder): Promise<void> {
  const captures = createCaptureRepository(db)
  for (const fileName of await captures.delete(folder)) await blobs.delete(keyOf(folder, fileName))
}
