/** Folder of content with an unknown hash. Old content in it is from interrupted uploads. */
export const incomingFolder = 'incoming'

/** Keys of the blob store. They contain hashes, numbers and generated names, never names from users. */
export const blobKeys = {
  file: (hash: string): string => `files/${hash}`,
  /** Content of an upload in progress, with an unknown hash. */
  incoming: (id: string): string => `${incomingFolder}/${id}`,
  capture: (challengeId: number, participationId: number, fileName: string): string =>
    `captures/${challengeId}/${participationId}/${fileName}`,
} as const

export function isBlobKey(key: string): boolean {
  return /^(files|incoming|captures)\//.test(key)
}
