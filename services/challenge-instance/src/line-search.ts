/** Number of bytes at the start of the output in which the operator searches for the readiness line. */
export const searchedBytes = 1024 * 1024

/**
 * Creates a search for a text in output that arrives in pieces. A piece may end within a character. The search reads each byte once
 * (algorithm of Knuth, Morris and Pratt) and buffers nothing, so endless lines and binary data are harmless.
 * @param text text to find. It must not be empty or contain line breaks, so that every match is within one line.
 * @returns a function that receives each piece and returns true when the text has been found
 */
export function createLineSearch(text: string): (piece: Uint8Array) => boolean {
  const wanted = new TextEncoder().encode(text)
  /** For each prefix of the text, the length of its longest proper suffix that is also a prefix of the text. */
  const overlaps = new Uint16Array(wanted.length)
  let matched = 0
  const take = (byte: number | undefined): number => {
    while (matched > 0 && wanted[matched] !== byte) matched = overlaps[matched - 1] ?? 0
    if (wanted[matched] === byte) matched += 1
    return matched
  }
  for (let at = 1; at < wanted.length; at += 1) overlaps[at] = take(wanted[at])
  matched = 0
  return (piece) => {
    for (const byte of piece) {
      if (matched === wanted.length) return true
      take(byte)
    }
    return matched === wanted.length
  }
}
