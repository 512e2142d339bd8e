/** Folder of content whose hash is not known yet. Old content in it comes from interrupted uploads. */
export const incomingFolder = 'incoming'

/** Keys of the blob store. They contain hashes, numbers and generated names, never names from users. */
export const blobKeys = {
  /** Content of a stored file. */
  file: (hash: string): string => `files/${hash}`,
  /** Content of an upload in progress, whose hash is not known yet. */
  incoming: (id: string): string => `${incomingFolder}/${id}`,
  capture: (challengeId: number, participationId: number, fileName: string): string =>
    `captures/${challengeId}/${participationId}/${fileName}`,
} as const

/** Returns true if a key is one of ours. Other applications may use the same bucket. */
export function isBlobKey(key: string): boolean {
  return /^(files|incoming|captures)\//.test(key)
}
