/** Where content lies whose hash is not known yet. What stays here never arrived. */
export const incomingFolder = 'incoming'

/** The places in the blob store. Keys are made of hashes, numbers and names that we chose, never of names that people chose. */
export const blobKeys = {
  /** Content of a stored file. */
  file: (hash: string): string => `files/${hash}`,
  /** Content on its way in, whose hash is not known yet. */
  incoming: (id: string): string => `${incomingFolder}/${id}`,
  capture: (challengeId: number, participationId: number, fileName: string): string =>
    `captures/${challengeId}/${participationId}/${fileName}`,
} as const

/** Whether a key is one of ours: others may use the same bucket. */
export function isBlobKey(key: string): boolean {
  return /^(files|incoming|captures)\//.test(key)
}
