import { Readable } from 'node:stream'
import { convertFiles, type NamedChallenge } from '@capstan/challenge-files/challenge/challenge'
import type { DescribedChallenge } from '@capstan/challenge-files/challenge/read'
import type { GivenFile } from '@capstan/challenge-files/challenge/read-files'
import { replaceMarkdownTargets } from '@capstan/challenge-files/markdown-targets'
import { streamUncompressedZip } from '@capstan/challenge-files/stored-zip'
import { pathOfStoredFile } from '@capstan/contract/asset-address'
import type { ChallengeFileRef } from '@capstan/contract/challenge'
import type { Transaction } from '@capstan/db/client'
import {
  addFileReferences,
  deleteUnreferencedFiles,
  type StoredFile,
  storeContentWithoutReference,
} from '../../server/files/service.ts'
import { type ArchivedFile, openArchiveEntry } from '../archives/entry-stream.ts'
import type { ImportDeps } from '../archives/received-archive.ts'
import { UnfitArchive } from '../archives/unfit-archive.ts'
import type { OpenArchive } from './open-archive.ts'

type StageDeps = Pick<ImportDeps, 'blobs' | 'config' | 'db'>

type ArchivedPart = Readonly<{
  name: string
  path: string
}>

export function damagedFileOf(title: string): UnfitArchive {
  return new UnfitArchive(`A file of \`${title}\` does not match its hash.`)
}

/** Files of an archive that are stored before the rows that refer to them. A file that several challenges use is stored once. */
export class StagedFiles {
  readonly #deps: StageDeps
  readonly #archive: OpenArchive
  readonly #stored = new Map<string, StoredFile>()
  /** Stored files. A file is listed once for each row that will refer to it. */
  readonly used: StoredFile[] = []

  constructor(deps: StageDeps, archive: OpenArchive) {
    this.#deps = deps
    this.#archive = archive
  }

  get hashes(): string[] {
    return [...this.#stored.values()].map(({ hash }) => hash)
  }

  #locate(path: string): ArchivedFile {
    const file = this.#archive.files.get(path)
    if (file === undefined) throw new Error('A described file is missing in the archive')
    return file
  }

  #pack(parts: readonly ArchivedPart[]): Readable {
    const located = parts.map(({ name, path }) => ({ ...this.#locate(path), name }))
    return Readable.from(streamUncompressedZip(located, (part) => openArchiveEntry(this.#archive.descriptor, part)))
  }

  /** Stores a file with this content, unless a file with this key is already stored. */
  async stage(key: string, content: () => Readable | Buffer, name: string): Promise<StoredFile> {
    const file = this.#stored.get(key) ?? (await storeContentWithoutReference(this.#deps, content(), name))
    this.#stored.set(key, file)
    this.used.push(file)
    return file
  }

  stageEntry({ path, name }: ArchivedPart): Promise<StoredFile> {
    return this.stage(path, () => openArchiveEntry(this.#archive.descriptor, this.#locate(path)), name)
  }

  /** Stores an attachment. If the attachment has several files, packs them into one archive. */
  async stageAttachment({ name, parts }: Extract<GivenFile, { parts: unknown }>, title: string): Promise<StoredFile> {
    const archived = parts.filter((part) => 'path' in part)
    const [only] = archived
    if (only === undefined || archived.length > 1) return this.stage(JSON.stringify(archived), () => this.#pack(archived), name)
    const file = await this.stageEntry(only)
    if (only.hash !== undefined && only.hash !== file.hash) throw damagedFileOf(title)
    return file
  }
}

/** Stores the files of a challenge. @returns the challenge, which refers to the stored files */
async function stageChallenge(
  staged: StagedFiles,
  { challenge, images, name, after }: DescribedChallenge,
): Promise<NamedChallenge<ChallengeFileRef>> {
  const addresses = new Map<string, string>()
  for (const image of images) addresses.set(image.reference, pathOfStoredFile((await staged.stageEntry(image)).hash, image.name))
  const description = replaceMarkdownTargets(challenge.description, (address) => addresses.get(address))
  const stored = await convertFiles(challenge, async (given): Promise<ChallengeFileRef> => {
    if ('url' in given) return given
    return { hash: (await staged.stageAttachment(given, challenge.title)).hash, name: given.name }
  })
  return { challenge: { ...stored, description }, name, after }
}

/** Stores the files of all challenges. @returns the challenges, which refer to the stored files */
export async function stageChallenges(
  staged: StagedFiles,
  challenges: readonly DescribedChallenge[],
): Promise<NamedChallenge<ChallengeFileRef>[]> {
  const stored: NamedChallenge<ChallengeFileRef>[] = []
  for (const described of challenges) stored.push(await stageChallenge(staged, described))
  return stored
}

/** Stores files with `stage`, then writes all rows in one transaction. A failure leaves no data behind. */
export async function stageAndWrite<Staged, Result>(
  deps: ImportDeps,
  archive: OpenArchive,
  stage: (files: StagedFiles) => Promise<Staged>,
  write: (transaction: Transaction, staged: Staged) => Promise<Result>,
): Promise<Result> {
  const files = new StagedFiles(deps, archive)
  try {
    const staged = await stage(files)
    return await deps.db.transaction(async (transaction) => {
      const result = await write(transaction, staged)
      await addFileReferences(deps, transaction, files.used)
      return result
    })
  } catch (error) {
    await deleteUnreferencedFiles(deps, files.hashes)
    throw error
  }
}
