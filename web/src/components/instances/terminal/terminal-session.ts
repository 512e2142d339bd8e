/** `connecting`, `open`, then `closed` with the reason why. */
export type SessionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | Readonly<{ kind: 'closed'; reason: ClosedReason }>

/** `ended`: it was open before. The others: the probe's answer. */
type ClosedReason = 'ended' | 'gone' | 'full' | 'unreachable'

/** The part of a WebSocket that is used here. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'binaryType' | 'onopen' | 'onmessage' | 'onclose'>

export type SessionDeps = Readonly<{
  connect: (id: string) => Socket
  /** HTTP status of the proxy address without an upgrade; tells why a connection failed. */
  probe: (id: string) => Promise<number>
}>

/** Bytes of output kept for a screen that attaches later and for the log. */
const keptMaxBytes = 2_000_000

const encoder = new TextEncoder()

/** One TCP conversation with an instance. Lives on while no screen shows it. */
export class TerminalSession {
  readonly id: string
  readonly #deps: SessionDeps
  readonly #watchers = new Set<() => void>()
  #screen: ((bytes: Uint8Array) => void) | undefined
  #socket: Socket | undefined
  #kept: Uint8Array[] = []
  #keptBytes = 0
  state: SessionState = { kind: 'connecting' }

  constructor(id: string, deps: SessionDeps) {
    this.id = id
    this.#deps = deps
    this.connect()
  }

  /** Opens the connection, again if it was closed. */
  connect(): void {
    this.#release()
    this.#enter({ kind: 'connecting' })
    const socket = this.#deps.connect(this.id)
    let wasOpen = false
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      wasOpen = true
      this.#enter({ kind: 'open' })
    }
    socket.onmessage = ({ data }) => this.#receive(typeof data === 'string' ? encoder.encode(data) : new Uint8Array(data))
    socket.onclose = () => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      if (wasOpen) this.#enter({ kind: 'closed', reason: 'ended' })
      else void this.#explain()
    }
    this.#socket = socket
  }

  /** Sends text as it is; false while there is no connection. */
  send(text: string): boolean {
    if (this.state.kind !== 'open' || !this.#socket) return false
    this.#socket.send(encoder.encode(text))
    return true
  }

  /** Shows and keeps text that did not come from the instance: what was sent, remarks. */
  echo(text: string): void {
    this.#receive(encoder.encode(text))
  }

  /** Gives all output so far and everything to come to a screen, until the answer is called. */
  attach(screen: (bytes: Uint8Array) => void): () => void {
    for (const bytes of this.#kept) screen(bytes)
    this.#screen = screen
    return () => {
      if (this.#screen === screen) this.#screen = undefined
    }
  }

  /** The conversation as text, without control sequences. */
  log(): string {
    const decoder = new TextDecoder()
    const text = this.#kept.map((bytes) => decoder.decode(bytes, { stream: true })).join('') + decoder.decode()
    return plainText(text)
  }

  clear(): void {
    this.#kept = []
    this.#keptBytes = 0
  }

  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  dispose(): void {
    this.#release()
    this.#watchers.clear()
    this.#screen = undefined
  }

  #release(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  #enter(state: SessionState): void {
    this.state = state
    for (const watcher of this.#watchers) watcher()
  }

  #receive(bytes: Uint8Array): void {
    this.#kept.push(bytes)
    this.#keptBytes += bytes.byteLength
    while (this.#keptBytes > keptMaxBytes) this.#keptBytes -= this.#kept.shift()?.byteLength ?? this.#keptBytes
    this.#screen?.(bytes)
  }

  async #explain(): Promise<void> {
    const status = await this.#deps.probe(this.id).catch(() => 0)
    if (this.#socket) return
    this.#enter({ kind: 'closed', reason: status === 404 ? 'gone' : status === 400 ? 'full' : 'unreachable' })
  }
}

/** Without ANSI sequences and carriage returns. */
export function plainText(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals speak in control characters
      .replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '')
      .replaceAll('\r\n', '\n')
      .replaceAll('\r', '\n')
  )
}
