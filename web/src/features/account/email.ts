/**
 * Decodes the email address in a mailed link. The link contains the address as Base64 of UTF-8.
 * @returns undefined if the encoded address is damaged
 */
export function decodeEmailFromLink(encoded: string | null): string | undefined {
  if (!encoded) return undefined
  try {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.codePointAt(0) ?? 0)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
