/** Lowest version of a frozen board. Live boards have lower versions, which are transaction numbers. */
const firstFrozenVersion = 9e14
const frozenVersions = 1e14

/** Returns the version of a frozen board, which depends only on its content. */
export function versionOfFrozenBoard(etag: string): number {
  const digest = Buffer.from(etag.slice('W/"'.length, -1), 'base64url')
  return firstFrozenVersion + (digest.readUIntBE(0, 6) % frozenVersions)
}
