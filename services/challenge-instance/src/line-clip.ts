/** Maximum length of an output line that admins see, in bytes. Longer lines are cut. */
export const maxLogLineBytes = 16 * 1024

const lineBreak = 0x0a

/**
 * Creates a function that cuts long lines of output. The function buffers nothing, so an endless line needs no memory.
 * @returns a function that receives each piece of the output and returns the part to show
 */
export function createLineClipper(maxBytes = maxLogLineBytes): (piece: Uint8Array) => Uint8Array {
  let length = 0
  return (piece) => {
    const shown = new Uint8Array(piece.length)
    let size = 0
    for (const byte of piece) {
      length = byte === lineBreak ? 0 : length + 1
      if (length > maxBytes) continue
      shown[size] = byte
      size += 1
    }
    return shown.subarray(0, size)
  }
}

/** Yields the pieces of the output, and cuts long lines. */
export async function* clipLines(output: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const clip = createLineClipper()
  for await (const piece of output) {
    const shown = clip(piece)
    if (shown.length > 0) yield shown
  }
}
