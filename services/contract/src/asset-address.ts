/** Under it files are served. */
export const assetsPath = '/assets'

/** Where a stored file is served, under a name of free choice, as a path of the site. @param hash 64 hex digits of its SHA-256 */
export const fileAddress = (hash: string, name: string): string =>
  `${assetsPath}/${hash}/${encodeURIComponent(name.toWellFormed())}`

/** Where a picture is served; null without one. */
export const pictureAddress = (hash: string | null, kind: 'avatar' | 'poster' | 'logo'): string | null =>
  hash === null ? null : fileAddress(hash, kind)
