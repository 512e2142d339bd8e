import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { useShortcuts } from '../../../lib/shortcuts.ts'
import { renderInApp } from '../../../testing/render.tsx'
import { WorkspaceDialog } from '../../ui/workspace-dialog.tsx'
import { closeTerminal } from './sessions.ts'
import { TerminalDock } from './terminal-dock.tsx'
import { useTerminals } from './terminals.ts'

/** Simulated sockets to an instance. */
const sockets: FakeSocket[] = []
class FakeSocket {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  readyState = 0
  binaryType = 'blob'
  onopen?: () => void
  onmessage?: () => void
  onclose?: () => void
  onerror?: () => void
  readonly sent: unknown[] = []
  constructor() {
    sockets.push(this)
  }
  send(data: unknown) {
    this.sent.push(data)
  }
  close() {}
  accept() {
    this.readyState = 1
    this.onopen?.()
  }
}

const user = userEvent.setup()
const pressed: string[] = []
const closed = vi.fn()

function Page() {
  useShortcuts({ j: () => pressed.push('j'), s: () => pressed.push('s') }, { inWorkspace: true })
  return (
    <>
      <WorkspaceDialog title="Chandlery" onClose={closed} returnFocus={() => null}>
        <p>A shop</p>
      </WorkspaceDialog>
      <TerminalDock />
    </>
  )
}

beforeEach(() => {
  vi.stubGlobal('WebSocket', FakeSocket)
  sockets.length = 0
  pressed.length = 0
  closed.mockClear()
  return () => {
    vi.unstubAllGlobals()
    act(() => closeTerminal('00000000-0000-4000-8000-00000000000a'))
  }
})

function line() {
  return screen.getByRole('textbox', { name: 'Line to send' })
}

async function openTerminal() {
  useTerminals.getState().open({ id: '00000000-0000-4000-8000-00000000000a', title: 'Chandlery' })
  await renderInApp(<Page />, { areas: ['instances'] })
  await expect.poll(() => sockets.length).toBe(1)
  act(() => sockets[0]?.accept())
  line().focus()
}

it.each([0, 1])('the focus stays in the input after a click on reconnect button %i', async (at) => {
  await openTerminal()
  act(() => sockets[0]?.onclose?.())
  await screen.findByText('The connection was closed.')
  const buttons = screen.getAllByRole('button', { name: 'Reconnect' })
  expect(buttons).toHaveLength(2)
  await user.click(buttons[at] as HTMLElement)
  act(() => sockets.at(-1)?.accept())
  await user.keyboard('js')
  expect([document.activeElement, (line() as HTMLInputElement).value, pressed]).toEqual([line(), 'js', []])
})

it('the dock ignores Escape and shortcuts of the challenge while the terminal has the focus', async () => {
  await openTerminal()
  await user.keyboard('{Escape}')
  screen.getByRole('button', { name: 'Save log' }).focus()
  await user.keyboard('j{Escape}')
  expect([closed.mock.calls.length, pressed]).toEqual([0, []])
})

it('the focus returns to the input after the confirmation of a long paste', async () => {
  await openTerminal()
  await user.paste('one\ntwo\nthree')
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  expect(document.activeElement).toBe(line())
})
