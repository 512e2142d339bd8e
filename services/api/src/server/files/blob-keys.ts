/**
 * Folder for content whose hash is not known yet, because its upload is in progress. Old content in this folder is from interrupted
 * uploads.
 */
export const incomingFolder = 'incoming'

/** Keys of the blob store. They contain hashes, numbers and generated names, but no names from users. */
export const blobKeys = {
  file: (hash: string): string => `files/${hash}`,
  /** Key for content whose hash is not known yet, because its upload is in progress. */
  incoming: (id: string): string => `${incomingFolder}/${id}`,
  capture: (challengeId: number, participationId: number, fileName: string): string =>
    `captures/${challengeId}/${participationId}/${fileName}`,
} as const

export function isBlobKey(key: string): boolean {
  return /^(files|incoming|captures)\//.test(key)
}
