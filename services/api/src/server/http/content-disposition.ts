/** Encodes an extended value (RFC 8187). `encodeURIComponent` leaves some characters unencoded that the RFC does not permit. */
function encodeExtended(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * Returns a header that makes browsers save a response as `name`. It contains an ASCII name for old clients, and the exact name
 * if it differs (RFC 6266).
 */
export function formatAttachmentDisposition(name: string): string {
  const plain = name
    .replaceAll(/[^\x20-\x7e]/g, '_')
    .replaceAll(/["\\]/g, '_')
    .replaceAll('%', '_')
  const extended = plain === name ? '' : `; filename*=UTF-8''${encodeExtended(name)}`
  return `attachment; filename="${plain}"${extended}`
}
