// Templates of certificates. Rules: docs/contract/games-and-joining.md#certificates.
import type { CertificatePicture, CertificateWrite } from '@capstan/contract/certificates'
import type { Executor } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import type { QueueCaller } from '../../server/fair-queue.ts'
import { deleteUnreferencedFiles, releaseFiles, storeFile } from '../../server/files/service.ts'
import { getGame, lockGame } from '../editing/service.ts'
import {
  columnOfCertificatePicture,
  fileNameOfCertificatePicture,
  imageKindOfCertificatePicture,
  listPictureHashes,
} from './pictures.ts'
import { refuseInvalidCertificateTemplate } from './policy.ts'
import { type CertificateRow, type CertificateValues, createCertificateRepository } from './repository.ts'

export type { CertificateRow, CertificateValues } from './repository.ts'

/** @returns undefined if the game has no template @throws Problem `game.unknown` */
export async function getCertificate(deps: Pick<InstanceDeps, 'db'>, gameId: number): Promise<CertificateRow | undefined> {
  await getGame(deps, gameId)
  return createCertificateRepository(deps.db).find(gameId)
}

/**
 * Returns the template of an existing game.
 * @returns undefined if the game has no template
 */
export function findCertificate(executor: Executor, gameId: number): Promise<CertificateRow | undefined> {
  return createCertificateRepository(executor).find(gameId)
}

/** Replaces the template except for its pictures. @throws Problem `game.unknown`, `certificate.placeholder` */
export async function updateCertificate(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  write: CertificateWrite,
): Promise<CertificateRow> {
  const refusal = refuseInvalidCertificateTemplate(write)
  if (refusal) throw refusal
  return db.transaction(async (transaction) => {
    await lockGame(transaction, gameId)
    return createCertificateRepository(transaction).put(gameId, write)
  })
}

/** Stores the template of a new game. The caller counts the references of its pictures. */
export async function insertCertificate(transaction: Executor, gameId: number, values: CertificateValues): Promise<void> {
  await createCertificateRepository(transaction).put(gameId, values)
}

/** Copies the template to a new game. @returns hashes of the copied pictures. The caller must count one more use of each picture */
export async function copyCertificate(transaction: Executor, from: number, to: number): Promise<string[]> {
  const source = await createCertificateRepository(transaction).find(from)
  if (!source) return []
  const { gameId: _, ...values } = source
  await createCertificateRepository(transaction).put(to, values)
  return listPictureHashes(source)
}

/** @throws Problem `game.unknown`, or a problem of an invalid image */
export async function setCertificatePicture(
  deps: Pick<InstanceDeps, 'blobs' | 'clock' | 'config' | 'db' | 'images'>,
  gameId: number,
  picture: CertificatePicture,
  bytes: Buffer,
  caller: QueueCaller,
): Promise<CertificateRow> {
  await getGame(deps, gameId)
  const image = await deps.images.convert(imageKindOfCertificatePicture(picture), bytes, caller)
  const column = columnOfCertificatePicture(picture)
  let replaced: string | null | undefined
  let stored: CertificateRow | undefined
  await storeFile(deps, image.bytes, fileNameOfCertificatePicture(picture), {
    adopt: async (transaction, { hash }) => {
      await lockGame(transaction, gameId)
      const repository = createCertificateRepository(transaction)
      replaced = (await repository.find(gameId))?.[column]
      stored = await repository.put(gameId, { [column]: hash })
      await releaseFiles(transaction, [replaced])
    },
  })
  await deleteUnreferencedFiles(deps, [replaced])
  if (!stored) throw new Error('Storing a picture wrote no template')
  return stored
}

/** Removes a picture. @returns undefined if the game has no template @throws Problem `game.unknown` */
export async function deleteCertificatePicture(
  deps: Pick<InstanceDeps, 'blobs' | 'db'>,
  gameId: number,
  picture: CertificatePicture,
): Promise<CertificateRow | undefined> {
  const column = columnOfCertificatePicture(picture)
  const { removed, row } = await deps.db.transaction(async (transaction) => {
    await lockGame(transaction, gameId)
    const repository = createCertificateRepository(transaction)
    const before = await repository.find(gameId)
    if (!before) return { removed: undefined, row: undefined }
    await releaseFiles(transaction, [before[column]])
    return { removed: before[column], row: await repository.put(gameId, { [column]: null }) }
  })
  await deleteUnreferencedFiles(deps, [removed])
  return row
}
