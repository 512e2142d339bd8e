import { createHash } from 'node:crypto'
import { HeaderLimits } from '@capstan/contract/limits'

/** Returns a weak tag with 96 bits of SHA-256. The tag is weak because the bytes may be compressed. */
export function weakEtagOf(bytes: string | Uint8Array): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`
}

function opaqueOf(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}

/** Returns true if an If-None-Match header contains the tag (weak comparison, RFC 9110, section 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    header.length <= HeaderLimits.maxIfNoneMatchBytes &&
    (header.trim() === '*' || header.split(',').some((tag) => opaqueOf(tag) === opaqueOf(etag)))
  )
}
