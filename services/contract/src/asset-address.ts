/** Path below which files are served. */
export const assetsPath = '/assets'

/**
 * Returns the path of a stored file, with a name of free choice.
 * @param hash 64 hex digits of its SHA-256
 */
export function fileAddress(hash: string, name: string): string {
  return `${assetsPath}/${hash}/${encodeURIComponent(name.toWellFormed())}`
}

/** Returns the path of a picture, or null without one. */
export function pictureAddress(hash: string | null, kind: 'avatar' | 'poster' | 'logo'): string | null {
  return hash === null ? null : fileAddress(hash, kind)
}
