import { addAbortSignal, PassThrough, type Readable } from 'node:stream'
import { createLineClipper } from '@capstan/challenge-instance/line-clip'
import type { LogOptions } from '../runtime.ts'

/** Maximum size of the retained output of a program, in bytes. */
const maxRetainedBytes = 256 * 1024

/** Number of unread bytes at which a reader is too slow and is disconnected. */
const maxUnreadBytes = 1024 * 1024

const lineBreak = 0x0a

function lastLines(output: Buffer, count: number): Buffer {
  let start = output.at(-1) === lineBreak ? output.length - 1 : output.length
  for (let left = count; left > 0 && start >= 0; left -= 1) start = start === 0 ? -1 : output.lastIndexOf(lineBreak, start - 1)
  return count === 0 ? Buffer.alloc(0) : output.subarray(start + 1)
}

/** Retains the last output of a program in memory, and passes new output to readers. */
export function createOutputBuffer() {
  const pieces: Uint8Array[] = []
  const readers = new Set<PassThrough>()
  let bytes = 0
  let isEnded = false

  const add = (piece: Uint8Array): void => {
    pieces.push(piece)
    bytes += piece.length
    for (let oldest = pieces[0]; oldest && bytes - oldest.length >= maxRetainedBytes; oldest = pieces[0]) {
      pieces.shift()
      bytes -= oldest.length
    }
    for (const reader of readers) {
      if (reader.writableLength > maxUnreadBytes) reader.destroy()
      if (reader.destroyed) readers.delete(reader)
      else reader.write(piece)
    }
  }

  return {
    /**
     * Returns a new function that receives one output of the program, such as the standard output. The caller passes each piece of
     * the output to this function.
     */
    source(): (piece: Uint8Array) => void {
      const clip = createLineClipper()
      return (piece) => add(clip(piece))
    },
    /** Ends all readers. Call this when the program has ended. */
    end(): void {
      isEnded = true
      for (const reader of readers) reader.end()
      readers.clear()
    },
    open({ tailLines, follow, signal }: LogOptions): Readable {
      const reader = addAbortSignal(signal, new PassThrough())
      reader.write(lastLines(Buffer.concat(pieces), tailLines))
      if (follow && !isEnded) readers.add(reader)
      else reader.end()
      return reader
    },
  }
}
