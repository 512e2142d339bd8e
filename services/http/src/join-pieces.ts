import type { Readable } from 'node:stream'

const blockBytes = 4 * 1024
/** Time in ms for which small pieces are collected while the client reads slowly. */
const collectMs = 50

/**
 * Joins small pieces of a response or a connection that arrive together, or that wait to be read. An instance may send a body in chunks
 * of one byte, and a client may send TLS records of one byte. Each buffered piece would take about 500 bytes of memory while the other
 * side does not read. Call this before the first piece arrives.
 */
export function joinSmallPieces(source: Readable): void {
  const push = source.push.bind(source)
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
  source.push = (piece: Buffer | null) => {
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
    if (source.readableLength === 0) process.nextTick(flush)
    else timer = setTimeout(flush, collectMs)
    return isFlowing
  }
}
