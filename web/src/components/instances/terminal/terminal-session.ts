/** State of a session: `connecting`, then `open`, then `closed` with the reason. */
export type SessionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | Readonly<{ kind: 'closed'; reason: ClosedReason }>

/**
 * Reason why a session is closed. `ended` means that an open connection ended. For a connection that never opened, the result of
 * `probe` determines the reason.
 */
type ClosedReason = 'ended' | 'gone' | 'full' | 'unreachable'

export type Socket = Pick<WebSocket, 'send' | 'close' | 'binaryType' | 'onopen' | 'onmessage' | 'onclose'>

export type SessionDeps = Readonly<{
  connect: (id: string) => Socket
  /** Requests the proxy address without a WebSocket upgrade and returns the HTTP status, which explains a failed connection. */
  probe: (id: string) => Promise<number>
}>

/** Maximum amount of output, in bytes, to retain for the log and for a terminal that is opened again. */
const maxOutputBytes = 2_000_000

const encoder = new TextEncoder()

export class TerminalSession {
  readonly id: string
  readonly #deps: SessionDeps
  readonly #watchers = new Set<() => void>()
  #screen: ((bytes: Uint8Array) => void) | undefined
  #socket: Socket | undefined
  #output: Uint8Array[] = []
  #outputBytes = 0
  state: SessionState = { kind: 'connecting' }

  constructor(id: string, deps: SessionDeps) {
    this.id = id
    this.#deps = deps
    this.connect()
  }

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

  send(text: string): boolean {
    if (this.state.kind !== 'open' || !this.#socket) return false
    this.#socket.send(encoder.encode(text))
    return true
  }

  /** Shows and stores text that does not come from the instance: lines that the user sent, and messages of the page. */
  echo(text: string): void {
    this.#receive(encoder.encode(text))
  }

  /**
   * Sends all earlier and future output to a screen.
   * @returns a function that detaches the screen
   */
  attach(screen: (bytes: Uint8Array) => void): () => void {
    for (const bytes of this.#output) screen(bytes)
    this.#screen = screen
    return () => {
      if (this.#screen === screen) this.#screen = undefined
    }
  }

  log(): string {
    const decoder = new TextDecoder()
    const text = this.#output.map((bytes) => decoder.decode(bytes, { stream: true })).join('') + decoder.decode()
    return removeAnsiSequences(text)
  }

  clear(): void {
    this.#output = []
    this.#outputBytes = 0
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
    this.#output.push(bytes)
    this.#outputBytes += bytes.byteLength
    while (this.#outputBytes > maxOutputBytes) this.#outputBytes -= this.#output.shift()?.byteLength ?? this.#outputBytes
    this.#screen?.(bytes)
  }

  async #explain(): Promise<void> {
    const status = await this.#deps.probe(this.id).catch(() => 0)
    if (this.#socket) return
    this.#enter({ kind: 'closed', reason: status === 404 ? 'gone' : status === 400 ? 'full' : 'unreachable' })
  }
}

/** Returns text without ANSI sequences and carriage returns. */
export function removeAnsiSequences(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals speak in control characters
      .replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '')
      .replaceAll('\r\n', '\n')
      .replaceAll('\r', '\n')
  )
}
