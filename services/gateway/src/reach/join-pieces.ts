import type { IncomingMessage } from 'node:http'

const blockBytes = 4 * 1024
/** Time in ms for which small pieces are collected while the client reads slowly. */
const collectMs = 50

/**
 * Joins small pieces of a response that arrive together. An instance may send a body in chunks of one byte, and each buffered chunk
 * would take about 500 bytes of memory while the client does not read. Call this before the first piece arrives.
 */
export function joinSmallPieces(answer: IncomingMessage): void {
  const push = answer.push.bind(answer)
  let block = Buffer.alloc(0)
  let length = 0
  let isFlowing = true
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
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
    if (length > 0) {
      length += piece.copy(block, length)
      return isFlowing
    }
    length = piece.copy(block)
    // All pieces of one read of the socket arrive before the next tick.
    if (answer.readableLength === 0) process.nextTick(flush)
    else timer = setTimeout(flush, collectMs)
    return isFlowing
  }
}
