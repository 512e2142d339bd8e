import { type ForeignHash, parseImportedHash } from '@capstan/contract/foreign-hash'

/** Prefix of stored hashes of imported accounts. Our own hashes never have it. */
const mark = 'imported:'

/** Stored hash of an account without a password. No password matches it. */
export const noPassword = `${mark}none`

export function isForeignHash(stored: string): boolean {
  return stored.startsWith(mark)
}

/** Returns the stored form of an imported hash. @param hash imported hash that `parseImportedHash` accepts */
export function formatForeignHash(hash: string): string {
  return `${mark}${hash}`
}

/**
 * Parses the stored hash of an imported account.
 * @returns undefined if the hash is not imported, or if no password can match it
 */
export function parseForeignHash(stored: string): ForeignHash | undefined {
  return isForeignHash(stored) ? parseImportedHash(stored.slice(mark.length)) : undefined
}
