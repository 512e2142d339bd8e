import { connect, type Socket } from 'node:net'

/** An answer to one request. */
export type Answer = Readonly<{
  status: number
  /** Bytes on the wire, head and body. */
  bytes: number
  /** Only where the connection keeps bodies. */
  body: string | undefined
}>

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * A keep-alive HTTP/1.1 connection for one request at a time. It reads into one buffer that is reused, and skips bodies without
 * copying them, so that a request costs the generator less than it costs the server. `undici` and `autocannon` cost more than a bare
 * server; the README of the bench has the figures.
 */
export class HttpConnection {
  readonly #port: number
  readonly #keepsBodies: boolean
  #socket: Socket | undefined
  #waiting: Waiting | undefined
  /** Start of a head that did not come in one piece. */
  #partialHead: Buffer = Buffer.alloc(0)
  #status = 0
  #bytes = 0
  #hasHead = false
  #isChunked = false
  /** Of the body, or of the current chunk with its line end. */
  #remaining = 0
  #chunkLine = ''
  #isLastChunk = false
  #parts: Buffer[] = []

  constructor(port: number, options: { keepsBodies: boolean }) {
    this.#port = port
    this.#keepsBodies = options.keepsBodies
  }

  /** @param request the whole request as bytes */
  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket ??= this.#open()
      this.#socket.write(request)
    })
  }

  /** A request under way fails. */
  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
    this.#waiting?.reject(new Error('The connection was closed'))
    this.#waiting = undefined
  }

  #open(): Socket {
    const socket = connect({
      host: '127.0.0.1',
      port: this.#port,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(64 * 1024),
        callback: (length, buffer) => {
          if (socket === this.#socket) this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, length))
          return true
        },
      },
    })
    const lost = (error: Error) => {
      if (socket !== this.#socket) return
      this.#socket = undefined
      this.#reset()
      this.#waiting?.reject(error)
      this.#waiting = undefined
    }
    socket.on('error', lost)
    socket.on('close', () => lost(new Error('The server closed the connection')))
    return socket
  }

  #reset(): void {
    this.#hasHead = false
    this.#isLastChunk = false
    this.#chunkLine = ''
    this.#remaining = 0
    this.#bytes = 0
    this.#parts = []
  }

  #read(chunk: Buffer): void {
    this.#bytes += chunk.length
    let rest = chunk
    if (!this.#hasHead) {
      const known = this.#partialHead.length > 0 ? Buffer.concat([this.#partialHead, chunk]) : chunk
      const end = known.indexOf(headEnd)
      if (end < 0) {
        this.#partialHead = Buffer.from(known)
        return
      }
      this.#partialHead = Buffer.alloc(0)
      this.#readHead(known.toString('latin1', 0, end))
      rest = known.subarray(end + headEnd.length)
    }
    if (this.#isChunked) this.#readChunks(rest)
    else this.#readBody(rest)
  }

  #readHead(head: string): void {
    this.#hasHead = true
    this.#status = Number(head.slice(9, 12))
    this.#isChunked = /\r\ntransfer-encoding: *chunked/i.test(head)
    this.#remaining = this.#isChunked ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  }

  #readBody(bytes: Buffer): void {
    this.#keep(bytes)
    this.#remaining -= bytes.length
    if (this.#remaining <= 0) this.#finish()
  }

  #readChunks(bytes: Buffer): void {
    let offset = 0
    while (offset < bytes.length) {
      if (this.#remaining > 0) {
        const taken = Math.min(this.#remaining, bytes.length - offset)
        // The last two bytes of what remains are the chunk's line end.
        const content = Math.min(taken, Math.max(0, this.#remaining - 2))
        if (!this.#isLastChunk && content > 0) this.#keep(bytes.subarray(offset, offset + content))
        this.#remaining -= taken
        offset += taken
        if (this.#remaining === 0 && this.#isLastChunk) {
          this.#finish()
          return
        }
        continue
      }
      const lineEnd = bytes.indexOf(10, offset)
      this.#chunkLine += bytes.toString('latin1', offset, lineEnd < 0 ? bytes.length : lineEnd)
      if (lineEnd < 0) return
      offset = lineEnd + 1
      const size = Number.parseInt(this.#chunkLine, 16)
      this.#chunkLine = ''
      this.#isLastChunk = size === 0
      this.#remaining = size + 2
    }
  }

  #keep(bytes: Buffer): void {
    if (this.#keepsBodies && bytes.length > 0) this.#parts.push(Buffer.from(bytes))
  }

  #finish(): void {
    const body = this.#keepsBodies ? Buffer.concat(this.#parts).toString('utf8') : undefined
    const answer = { status: this.#status, bytes: this.#bytes, body }
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#reset()
    waiting?.resolve(answer)
  }
}
