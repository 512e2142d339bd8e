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
  /** First piece of a turn of the event loop. It is copied only if another piece follows, so idle connections need no block. */
  let single: Buffer | undefined
  let block = Buffer.alloc(0)
  let length = 0
  let isFlowing = true
  let timer: NodeJS.Timeout | undefined
  const pushBlock = () => {
    if (length > 0) isFlowing = push(block.subarray(0, length))
    block = block.subarray(length)
    length = 0
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (single) isFlowing = push(single)
    single = undefined
    pushBlock()
  }
  const store = (piece: Buffer) => {
    if (piece.length > block.length - length) {
      pushBlock()
      block = Buffer.allocUnsafeSlow(blockBytes)
    }
    length += piece.copy(block, length)
  }
  source.push = (piece: Buffer | null) => {
    if (piece === null || piece.length >= blockBytes) {
      flush()
      return push(piece)
    }
    if (single) {
      store(single)
      single = undefined
      store(piece)
    } else if (length > 0) store(piece)
    else if (source.readableLength === 0) {
      single = piece
      // All pieces of one read of the socket arrive before the next tick.
      process.nextTick(flush)
    } else {
      store(piece)
      timer ??= setTimeout(flush, collectMs)
    }
    return isFlowing
  }
}
