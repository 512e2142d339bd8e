import type { Readable } from 'node:stream'
import { createLineSearch, searchedBytes } from '@capstan/challenge-instance/line-search'

/**
 * Reads outputs until one of them has a line with the text; what else they bring is let go, so that nobody who writes has to wait.
 * @returns tells whether it has been there by now
 */
export function readForLine(outputs: readonly Readable[], text: string): () => boolean {
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
