const blockBytes = 4 * 1024

/**
 * Collects the bytes of a body. Copies them into blocks, because a body of many small pieces would need 300 bytes for each
 * piece.
 */
export class BodyCollector {
  readonly #blocks: Buffer[] = []
  /** Unused rest of the last block. */
  #free = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  add(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#free.length === 0) {
        this.#free = Buffer.allocUnsafeSlow(blockBytes)
        this.#blocks.push(this.#free)
      }
      const copied = piece.copy(this.#free, 0, at)
      this.#free = this.#free.subarray(copied)
      at += copied
    }
    this.#length += piece.length
  }

  bytes(): Buffer {
    return Buffer.concat(this.#blocks, this.#length)
  }
}
