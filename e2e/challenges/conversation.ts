import type { Duplex } from 'node:stream'

/** Conversation with a line-based service: waits for a text, and then sends a line. */
export class Conversation {
  readonly #stream: Duplex
  #heard = ''
  #ended = false
  #wake: () => void = () => {}

  constructor(stream: Duplex) {
    this.#stream = stream
    stream.on('data', (chunk: Uint8Array) => {
      this.#heard += Buffer.from(chunk).toString('latin1')
      this.#wake()
    })
    const end = () => {
      this.#ended = true
      this.#wake()
    }
    stream.on('end', end).on('close', end).on('error', end)
  }

  say(line: string): void {
    this.#stream.write(`${line}\n`)
  }

  /**
   * Waits until `pattern` matches text received since the last match, and removes the matching text. Rejects with the received text
   * if the other side ends the connection or `timeoutMs` passes.
   */
  async hear(pattern: RegExp, timeoutMs = 10_000): Promise<RegExpExecArray> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const match = pattern.exec(this.#heard)
      if (match) {
        this.#heard = this.#heard.slice(match.index + match[0].length)
        return match
      }
      const leftMs = deadline - Date.now()
      if (this.#ended || leftMs <= 0) {
        const why = this.#ended ? 'the service hung up' : `${timeoutMs} ms passed`
        throw new Error(`Waited for ${pattern}, but ${why}; heard: ${JSON.stringify(this.#heard.slice(-500))}`)
      }
      await this.#news(leftMs)
    }
  }

  close(): void {
    this.#stream.destroy()
  }

  #news(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
