/** Path below which the platform serves stored files. */
export const assetsPath = '/assets'

/**
 * Returns the path of a stored file. Any name is allowed, because only the hash identifies the file.
 * @param hash 64 hex digits of the SHA-256 of the file
 */
export function pathOfStoredFile(hash: string, name: string): string {
  return `${assetsPath}/${hash}/${encodeURIComponent(name.toWellFormed())}`
}

export function pathOfPicture(hash: string | null, kind: 'avatar' | 'poster' | 'logo'): string | null {
  return hash === null ? null : pathOfStoredFile(hash, kind)
}
