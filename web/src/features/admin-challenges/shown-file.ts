import { pathOfStoredFile } from '@capstan/contract/asset-address'
import type { ChallengeFileRef, FullChallenge } from '@capstan/contract/challenge'

/** Returns the address for downloading the file. */
export function downloadAddressOfFile(file: ChallengeFileRef): string {
  return 'url' in file ? file.url : pathOfStoredFile(file.hash, file.name)
}

/** @returns null for an external file, because its size is unknown */
export function fileSizeOf(file: ChallengeFileRef, { files }: Pick<FullChallenge, 'files'>): number | null {
  if ('url' in file) return null
  return files.find(({ hash }) => hash === file.hash)?.bytes ?? null
}
