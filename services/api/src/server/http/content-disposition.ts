/** Characters that an extended value may hold as they are (RFC 8187 attr-char), beyond those `encodeURIComponent` leaves alone. */
function encodeExtended(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * Header that makes browsers save an answer under `name` and never show it in place. RFC 6266: a plain name for old clients,
 * the true one beside it when it is not plain ASCII.
 */
export function attachmentDisposition(name: string): string {
  const plain = name
    .replaceAll(/[^\x20-\x7e]/g, '_')
    .replaceAll(/["\\]/g, '_')
    .replaceAll('%', '_')
  const extended = plain === name ? '' : `; filename*=UTF-8''${encodeExtended(name)}`
  return `attachment; filename="${plain}"${extended}`
}
