import { describe, expect, it } from 'vitest'
import { findPasteToConfirm } from './paste-guard.ts'
import { removeAnsiSequences, type Socket, TerminalSession } from './terminal-session.ts'
import { useTerminals } from './terminals.ts'

function decode(bytes: Uint8Array) {
  return new TextDecoder().decode(bytes)
}

class FakeSocket implements Socket {
  binaryType: BinaryType = 'blob'
  onopen: WebSocket['onopen'] = null
  onmessage: WebSocket['onmessage'] = null
  onclose: WebSocket['onclose'] = null
  readonly sent: string[] = []
  isClosed = false
  send(data: Uint8Array<ArrayBuffer>) {
    this.sent.push(decode(data))
  }
  close() {
    this.isClosed = true
  }
  open() {
    this.onopen?.call(this as never, {} as never)
  }
  say(text: string) {
    this.onmessage?.call(this as never, { data: new TextEncoder().encode(text).buffer } as never)
  }
  drop() {
    this.onclose?.call(this as never, {} as never)
  }
}

function start(probeStatus = 204) {
  const sockets: FakeSocket[] = []
  const session = new TerminalSession('id', {
    connect: () => {
      const socket = new FakeSocket()
      sockets.push(socket)
      return socket
    },
    probe: async () => probeStatus,
  })
  const last = () => sockets.at(-1)!
  return { session, sockets, last }
}

function settled(session: TerminalSession) {
  return new Promise<void>((resolve) => {
    const stop = session.watch(() => {
      stop()
      resolve()
    })
  })
}

describe('a terminal session', () => {
  it('a session sends only while it is connected', () => {
    const { session, last } = start()
    expect(session.send('early')).toBe(false)
    last().open()
    expect(session.send('hello\n')).toBe(true)
    expect(last().sent).toEqual(['hello\n'])
  })

  it('a screen that attaches late shows the earlier output of the session', () => {
    const { session, last } = start()
    last().open()
    last().say('one ')
    const shown: string[] = []
    const detach = session.attach((bytes) => shown.push(decode(bytes)))
    last().say('two')
    detach()
    last().say(' three')
    expect(shown).toEqual(['one ', 'two'])
    expect(session.log()).toBe('one two three')
  })

  it('a session reports that its connection ended, and can connect again', () => {
    const { session, sockets, last } = start()
    last().open()
    last().drop()
    expect(session.state).toEqual({ kind: 'closed', reason: 'ended' })
    session.connect()
    expect(sockets).toHaveLength(2)
    last().open()
    expect(session.state).toEqual({ kind: 'open' })
  })

  it.each([
    [404, 'gone'],
    [400, 'full'],
    [204, 'unreachable'],
  ] as const)('a session explains a refused connection by the HTTP status: %i means %s', async (status, reason) => {
    const { session, last } = start(status)
    const change = settled(session)
    last().drop()
    await change
    expect(session.state).toEqual({ kind: 'closed', reason })
  })

  it('a session disconnects permanently if its tab closes', () => {
    const { session, last } = start()
    last().open()
    session.dispose()
    expect(last().isClosed).toBe(true)
    expect(session.send('x')).toBe(false)
  })

  it('the saved text of a session contains no control sequences', () => {
    expect(removeAnsiSequences('\u001b[1;32mok\u001b[0m\r\n\u001b]0;title\u0007> ')).toBe('ok\n> ')
  })
})

describe('a paste into the terminal', () => {
  it('a paste of one short line is sent immediately', () => {
    expect(findPasteToConfirm('cat flag.txt')).toBeUndefined()
    expect(findPasteToConfirm('cat flag.txt\n')).toBeUndefined()
  })

  it('a paste of several lines or of a very long line needs confirmation', () => {
    expect(findPasteToConfirm('a\r\nb\r\n')).toEqual({ text: 'a\nb\n', lines: 2 })
    expect(findPasteToConfirm('x'.repeat(401))?.lines).toBe(1)
  })
})

describe('the terminal dock', () => {
  it('the dock has one tab per instance, and activates another tab when a tab closes', () => {
    const { open, close } = useTerminals.getState()
    open({ id: 'a', title: 'A' })
    open({ id: 'b', title: 'B' })
    open({ id: 'a', title: 'A' })
    expect(useTerminals.getState()).toMatchObject({ active: 'a', tabs: [{ id: 'a' }, { id: 'b' }] })
    close('a')
    expect(useTerminals.getState()).toMatchObject({ active: 'b', tabs: [{ id: 'b' }] })
    close('b')
    expect(useTerminals.getState().active).toBeUndefined()
  })
})
