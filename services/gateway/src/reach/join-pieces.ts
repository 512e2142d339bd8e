import type { IncomingMessage } from 'node:http'

const blockBytes = 4 * 1024

/**
 * Joins small pieces of a response that arrive together. An instance may send a body in chunks of one byte, and each buffered chunk
 * would take about 500 bytes of memory while the client does not read. Call this before the first piece arrives.
 */
export function joinPieces(answer: IncomingMessage): void {
  const push = answer.push.bind(answer)
  let block = Buffer.alloc(0)
  let length = 0
  let isFlowing = true
  const flush = () => {
    if (length > 0) isFlowing = push(block.subarray(0, length))
    block = block.subarray(length)
    length = 0
  }
  answer.push = (piece: Buffer | null) => {
    if (piece === null || piece.length >= blockBytes) {
      flush()
      return push(piece)
    }
    if (piece.length > block.length - length) {
      flush()
      block = Buffer.allocUnsafeSlow(blockBytes)
    }
    // All pieces of one read of the socket arrive before the next tick.
    if (length === 0) process.nextTick(flush)
    length += piece.copy(block, length)
    return isFlowing
  }
}
