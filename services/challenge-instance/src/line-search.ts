/** How much of what a container writes is read for its line, in bytes. */
export const searchedBytes = 1024 * 1024

/**
 * Looks for a text in output that comes piece by piece, wherever it is cut, also within a character. Each byte is looked at once
 * (Knuth, Morris and Pratt), and nothing of the output is kept: lines without an end and bytes that are no text do no harm.
 * @param text not empty, without line breaks: so whatever has it has it in one line
 * @returns takes the next piece, and tells whether the text has been there by now
 */
export function createLineSearch(text: string): (piece: Uint8Array) => boolean {
  const wanted = new TextEncoder().encode(text)
  /** Of each beginning of what is wanted, how much of its end is such a beginning again. */
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
