import { createHash } from 'node:crypto'
import { HeaderLimits } from '@capstan/contract/limits'

/** Tag of bytes that are sent compressed or not, therefore weak. 96 bits of SHA-256. */
export function weakEtagOf(bytes: string | Uint8Array): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`
}

function opaqueOf(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}

/** Whether an If-None-Match header names the tag. Weak comparison, RFC 9110, section 13.1.2. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    header.length <= HeaderLimits.ifNoneMatchMaxBytes &&
    (header.trim() === '*' || header.split(',').some((tag) => opaqueOf(tag) === opaqueOf(etag)))
  )
}
