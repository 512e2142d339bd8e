import { Limits } from '@capstan/contract/limits'
import { type TerminalEnd, terminalEnds } from '@capstan/contract/vocabulary'
import type { ScreenSource } from '../instances/terminal/screen.ts'

/** Reason why the session ended. `refused`: the terminal never opened. `lost`: the connection broke. */
type ShellEnd = TerminalEnd | 'refused' | 'lost'

export type ShellState = { readonly kind: 'opening' } | { readonly kind: 'open' } | Readonly<{ kind: 'closed'; reason: ShellEnd }>

export type ShellSocket = Pick<WebSocket, 'send' | 'close' | 'binaryType' | 'onopen' | 'onmessage' | 'onclose'>

/** Maximum amount of output that waits for the screen, in bytes. Further output is dropped, because no one could read it. */
const maxPendingBytes = 8_000_000

/** Number of characters in a part of pasted text. Each character takes at most 3 bytes. */
const partLength = Math.floor(Limits.maxTerminalMessageBytes / 4)

function isTerminalEnd(reason: string): reason is TerminalEnd {
  return terminalEnds.some((each) => each === reason)
}

export type ShellSession = ScreenSource &
  Readonly<{
    send: (keys: string) => void
    resize: (size: Readonly<{ cols: number; rows: number }>) => void
    close: () => void
  }>

/** Connects to a shell in a container. `onState` receives each change of the state until `close` is called. */
export function openShell(socket: ShellSocket, onState: (state: ShellState) => void): ShellSession {
  const encoder = new TextEncoder()
  let screen: Parameters<ScreenSource['attach']>[0] | undefined
  let early: Uint8Array[] = []
  let pendingBytes = 0
  let size: string | undefined
  let isOpen = false

  const show = (bytes: Uint8Array): void => {
    if (!screen) return void early.push(bytes)
    screen(bytes, () => {
      pendingBytes -= bytes.byteLength
    })
  }
  socket.binaryType = 'arraybuffer'
  socket.onopen = () => {
    isOpen = true
    if (size !== undefined) socket.send(size)
    onState({ kind: 'open' })
  }
  socket.onmessage = ({ data }: { data: unknown }) => {
    if (!(data instanceof ArrayBuffer) || pendingBytes > maxPendingBytes) return
    pendingBytes += data.byteLength
    show(new Uint8Array(data))
  }
  socket.onclose = ({ reason }) => {
    const wasOpen = isOpen
    isOpen = false
    onState({ kind: 'closed', reason: isTerminalEnd(reason) ? reason : wasOpen ? 'lost' : 'refused' })
  }
  return {
    attach(to) {
      screen = to
      for (const bytes of early) show(bytes)
      early = []
      return () => {
        screen = undefined
      }
    },
    send(keys) {
      for (let at = 0; isOpen && at < keys.length; at += partLength) socket.send(encoder.encode(keys.slice(at, at + partLength)))
    },
    resize({ cols, rows }) {
      size = JSON.stringify({ columns: Math.min(cols, 999), rows: Math.min(rows, 999) })
      if (isOpen) socket.send(size)
    },
    close() {
      socket.onclose = null
      isOpen = false
      socket.close()
    },
  }
}
