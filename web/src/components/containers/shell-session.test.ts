import { Limits } from '@capstan/contract/limits'
import { expect, it } from 'vitest'
import { openShell, type ShellSocket, type ShellState } from './shell-session.ts'

/** Opens a session on a simulated socket. */
function open() {
  const sent: (string | Uint8Array)[] = []
  let isClosed = false
  const socket: ShellSocket = {
    binaryType: 'blob',
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (data) => void sent.push(data as string | Uint8Array),
    close: () => {
      isClosed = true
    },
  }
  const states: ShellState[] = []
  const session = openShell(socket, (state) => void states.push(state))
  const call = (listener: unknown, event: object = {}) => (listener as (event: object) => void).call(socket, event)
  return {
    session,
    sent,
    states,
    isClosed: () => isClosed,
    accept: () => call(socket.onopen),
    receive: (bytes: Uint8Array) => call(socket.onmessage, { data: bytes.slice().buffer }),
    end: (reason: string) => call(socket.onclose, { reason }),
  }
}

function bytesOf(text: string) {
  return new TextEncoder().encode(text)
}
function textOf(bytes: Uint8Array) {
  return new TextDecoder().decode(bytes)
}

it('when the terminal opens, the session sends only the latest screen size, and afterwards keys and new sizes', () => {
  const { session, sent, states, accept } = open()
  session.resize({ cols: 80, rows: 24 })
  session.send('too early')
  accept()
  session.send('ls\r')
  session.resize({ cols: 2_000, rows: 30 })
  expect(sent.map((data) => (typeof data === 'string' ? data : textOf(data)))).toEqual([
    '{"columns":80,"rows":24}',
    'ls\r',
    '{"columns":999,"rows":30}',
  ])
  expect(states).toEqual([{ kind: 'open' }])
})

it('the screen receives output that arrived before it existed, and later output', () => {
  const { session, accept, receive } = open()
  accept()
  receive(bytesOf('early'))
  const shown: string[] = []
  const detach = session.attach((bytes) => void shown.push(textOf(bytes)))
  receive(bytesOf('late'))
  detach()
  receive(bytesOf('unseen'))
  expect(shown).toEqual(['early', 'late'])
})

it('the session drops new output while too much earlier output waits for the screen', () => {
  const { session, accept, receive } = open()
  accept()
  const waiting: (() => void)[] = []
  session.attach((_bytes, onShown) => void (onShown && waiting.push(onShown)))
  const piece = new Uint8Array(1_000_000)
  for (let sent = 0; sent < 20; sent += 1) receive(piece)
  expect(waiting).toHaveLength(9)
  for (const onShown of waiting.splice(0)) onShown()
  receive(piece)
  expect(waiting).toHaveLength(1)
})

it('the session sends a long paste in parts that the server accepts', () => {
  const { session, sent, accept } = open()
  accept()
  const pasted = '文'.repeat(Limits.maxTerminalMessageBytes)
  session.send(pasted)
  expect(sent.every((data) => data.length <= Limits.maxTerminalMessageBytes)).toBe(true)
  expect(sent.map((data) => textOf(data as Uint8Array)).join('')).toBe(pasted)
})

it.each([
  ['idle', true, 'idle'],
  ['', true, 'lost'],
  ['', false, 'refused'],
  ['something else', true, 'lost'],
] as const)('the session reports the close reason "%s" (session was open: %s) as %s', (sent, wasOpen, reason) => {
  const { states, accept, end } = open()
  if (wasOpen) accept()
  end(sent)
  expect(states.at(-1)).toEqual({ kind: 'closed', reason })
})

it('the session reports no changes after it is closed', () => {
  const { session, states, accept, isClosed } = open()
  accept()
  session.close()
  expect([isClosed(), states]).toEqual([true, [{ kind: 'open' }]])
})
