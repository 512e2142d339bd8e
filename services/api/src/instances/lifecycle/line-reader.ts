import type { Readable } from 'node:stream'
import { createLineSearch, searchedBytes } from '@capstan/challenge-instance/line-search'

/**
 * Reads the outputs until one of them has a line with the text. Later data is discarded, so that the program never
 * blocks.
 * @returns a function that returns true after such a line was read
 */
export function watchForLine(outputs: readonly Readable[], text: string): () => boolean {
  let isThere = false
  for (const output of outputs) {
    const search = createLineSearch(text)
    let leftBytes = searchedBytes
    const take = (piece: Uint8Array): void => {
      isThere ||= search(piece.subarray(0, leftBytes))
      leftBytes -= piece.length
      if (isThere || leftBytes <= 0) output.off('data', take).resume()
    }
    output.on('data', take).on('error', () => {})
  }
  return () => isThere
}
