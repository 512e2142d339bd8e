import type { ContainerEvent, ContainerState } from '@capstan/contract/admin'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { ContainersDialog } from './containers-dialog.tsx'

const user = userEvent.setup()
const id = 'a3b0c442-98fc-4c14-9afb-f4c8996fb924'
const list = `/api/admin/instances/${id}/containers`

const page: ContainerState = {
  ...{ name: 'page', isReady: true, reason: 'Ready', message: 'The port accepts connections.' },
  ...{ restarts: 0, lastExit: null, since: '2030-01-01T10:00:00Z', usage: null },
}
const db: ContainerState = {
  ...{ name: 'db', isReady: false, reason: 'CrashLooping', message: 'The container stopped (exit code 3)' },
  ...{ restarts: 1200, lastExit: 'The container stopped (exit code 3)', since: null, usage: null },
}

const offer = { hasLogs: true, hasEvents: false, hasTerminal: false, isTest: false, isMeasured: true }

const { fetch: realFetch } = globalThis
afterEach(() => {
  globalThis.fetch = realFetch
  vi.unstubAllGlobals()
})

/** Sockets of the simulated terminals, the newest last. */
function fakeTerminals() {
  const sockets: FakeSocket[] = []
  class FakeSocket {
    onopen?: () => void
    onclose?: ((event: { reason: string }) => void) | null
    isClosed = false
    readonly address: string
    constructor(address: string) {
      this.address = address
      sockets.push(this)
    }
    send() {}
    close() {
      this.isClosed = true
    }
  }
  vi.stubGlobal('WebSocket', FakeSocket)
  return sockets
}

type Log = Readonly<{ address: string; signal: AbortSignal; write(text: string): void; end(): void }>

/**
 * Simulates a server. The test writes lines into the logs that the page opens.
 * @returns the opened logs, the newest last
 */
function serve(answer: { status?: number; body: unknown; events?: readonly ContainerEvent[] }, refusal?: object): Log[] {
  const logs: Log[] = []
  globalThis.fetch = async (input, { signal } = {}) => {
    const address = String(input)
    if (address === list) return new Response(JSON.stringify(answer.body), { status: answer.status ?? 200 })
    if (address.endsWith('/events')) return Response.json(answer.events)
    if (refusal) return new Response(JSON.stringify(refusal), { status: 400 })
    const stream = new TransformStream<Uint8Array, Uint8Array>()
    const writer = stream.writable.getWriter()
    logs.push({
      address,
      signal: signal!,
      write: (text) => void writer.write(new TextEncoder().encode(text)),
      end: () => void writer.close(),
    })
    return new Response(stream.readable)
  }
  return logs
}

function open(onClose = () => {}) {
  return renderInApp(<ContainersDialog id={id} title="Shop of Red" onClose={onClose} />, { areas: ['containers'] })
}

function linesShown() {
  return [...screen.getByRole('log').querySelectorAll('bdi')].map(({ textContent }) => textContent)
}

it('the dialog shows the state of each container, and the live output of the first container as plain text', async () => {
  const logs = serve({ body: { containers: [page, db], ...offer } })
  await open()
  const [first, second] = (await screen.findAllByRole('radio')).map((radio) => radio.closest('label')!)
  expect(within(first!).getByText('Ready')).toBeTruthy()
  expect(second!.textContent).toContain('CrashLooping')
  expect(second!.textContent).toContain('1,200 restarts · last exit: The container stopped (exit code 3)')
  await waitFor(() => expect(logs).toHaveLength(1))
  expect(logs[0]?.address).toBe(`${list}/page/log?follow=true`)
  expect(await screen.findByText('The container has not written anything yet.')).toBeTruthy()
  logs[0]?.write('\u001b[31mlisten')
  logs[0]?.write('ing\u001b[0m\n\0<b>second</b>\n')
  await waitFor(() => expect(linesShown()).toEqual(['listening', '<b>second</b>']))
  expect(screen.getByText(/2 of 2 lines\. New lines appear here\./)).toBeTruthy()
})

it('the dialog shows CPU and memory of each measured container beside its limits', async () => {
  const mb = 1024 * 1024
  const usage = { cpuMillicores: 12, cpuLimitMillicores: 200, memoryBytes: 34 * mb, memoryLimitBytes: 128 * mb }
  serve({ body: { containers: [{ ...page, usage }, db], ...offer } })
  await open()
  const [first, second] = (await screen.findAllByRole('radio')).map((radio) => radio.closest('label')!)
  expect(first!.textContent).toContain('CPU: 0.01 of 0.2 cores')
  expect(first!.textContent).toContain('Memory: 34 of 128 MB')
  expect(second!.textContent).not.toContain('CPU')
  expect(screen.queryByText(/metrics-server/)).toBeNull()
})

it('the dialog shows the events of the chosen container, or that the container has no events', async () => {
  const backOff = { type: 'Warning', reason: 'BackOff', message: 'Back-off restarting failed container', count: 1200 } as const
  const event = { ...backOff, lastAt: '2030-01-01T10:00:00Z' }
  serve({ body: { containers: [page], ...offer, hasEvents: true }, events: [event] })
  const { unmount } = await open()
  const events = await screen.findByRole('list', { name: 'Events' })
  expect(events.textContent).toContain('BackOff')
  expect(events.textContent).toContain('1,200 times')
  expect(events.textContent).toContain('Back-off restarting failed container')
  unmount()
  serve({ body: { containers: [db], ...offer, hasEvents: true }, events: [] })
  await open()
  expect(await screen.findByText('Kubernetes reports no events of this container.')).toBeTruthy()
})

it('the dialog explains that measurements need metrics-server if containers are not measured', async () => {
  serve({ body: { containers: [page], ...offer, isMeasured: false } })
  await open()
  expect(await screen.findByText(/not measured here.*metrics-server/)).toBeTruthy()
})

it('the dialog opens the output of another container by the keyboard, and closes the previous output', async () => {
  const logs = serve({ body: { containers: [page, db], ...offer } })
  await open()
  const [first] = await screen.findAllByRole('radio')
  await waitFor(() => expect(logs).toHaveLength(1))
  act(() => first?.focus())
  await user.keyboard('{ArrowDown}')
  await waitFor(() =>
    expect(logs.map(({ address }) => address)).toEqual([`${list}/page/log?follow=true`, `${list}/db/log?follow=true`]),
  )
  expect(logs.map(({ signal }) => signal.aborted)).toEqual([true, false])
})

it('the dialog filters and downloads log lines, and pauses and resumes the live output', async () => {
  const logs = serve({ body: { containers: [page], ...offer } })
  const blobs: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob)
    return 'blob:log'
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  await open()
  await waitFor(() => expect(logs).toHaveLength(1))
  logs[0]?.write('GET /\nPOST /login\nGET /flag\n')
  await waitFor(() => expect(linesShown()).toHaveLength(3))
  await user.type(screen.getByRole('searchbox'), 'get')
  await waitFor(() => expect(linesShown()).toEqual(['GET /', 'GET /flag']))
  await user.click(screen.getByRole('button', { name: 'Download' }))
  expect(await blobs[0]?.text()).toBe('GET /\nGET /flag\n')
  await user.click(screen.getByRole('button', { name: 'Pause' }))
  expect(logs[0]?.signal.aborted).toBe(true)
  expect(linesShown()).toHaveLength(2)
  await user.click(screen.getByRole('button', { name: 'Follow' }))
  await waitFor(() => expect(logs).toHaveLength(2))
})

it('the log retains its lines when the output ends, and disconnects when the dialog closes', async () => {
  const logs = serve({ body: { containers: [page], ...offer } })
  const { unmount } = await open()
  await waitFor(() => expect(logs).toHaveLength(1))
  logs[0]?.write('last words')
  logs[0]?.end()
  expect(await screen.findByText(/The output is paused or has ended\./)).toBeTruthy()
  expect(linesShown()).toEqual(['last words'])
  await user.click(screen.getByRole('button', { name: 'Follow' }))
  await waitFor(() => expect(logs).toHaveLength(2))
  unmount()
  expect(logs[1]?.signal.aborted).toBe(true)
})

it('the dialog explains how to enable disabled output, and reports an unknown state of the containers', async () => {
  serve({ body: { containers: [page], ...offer, hasLogs: false } })
  const { unmount } = await open()
  expect(await screen.findByText(/operator\.logs\.enabled/)).toBeTruthy()
  expect(screen.queryByRole('log')).toBeNull()
  unmount()
  serve({ body: { containers: [], ...offer } })
  await open()
  expect(await screen.findByText('The state of the containers is not known yet')).toBeTruthy()
})

it('the dialog shows why the output or the list of containers cannot be read', async () => {
  serve({ body: { containers: [page], ...offer } }, { title: 'The output is not available', code: 'instance.log-unavailable' })
  const { unmount } = await open()
  expect((await screen.findByRole('alert')).textContent).toContain('The output is not available')
  unmount()
  serve({ status: 404, body: { title: 'There is no such instance', status: 404, code: 'instance.unknown' } })
  await open()
  expect((await screen.findByRole('alert')).textContent).toContain('There is no such instance')
})

it('the dialog opens a terminal in place of the output of a test instance, and closes the terminal', async () => {
  const sockets = fakeTerminals()
  const logs = serve({ body: { containers: [page, db], ...offer, hasTerminal: true, isTest: true } })
  await open()
  await user.click(await screen.findByRole('button', { name: 'Open a terminal' }))
  expect(sockets.map(({ address }) => address)).toEqual([`${location.origin.replace('http', 'ws')}${list}/page/terminal`])
  expect(screen.queryByRole('log')).toBeNull()
  expect(logs[0]?.signal.aborted).toBe(true)
  expect(screen.getByText('The terminal is opening.')).toBeTruthy()
  act(() => sockets[0]?.onopen?.())
  expect(screen.getByText(/^F6 leaves the terminal\./)).toBeTruthy()
  act(() => sockets[0]?.onclose?.({ reason: 'idle' }))
  expect(screen.getByText(/no key was pressed/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Open it again' }))
  expect(sockets).toHaveLength(2)
  await user.click(screen.getByRole('button', { name: 'Close the terminal' }))
  expect(sockets[1]?.isClosed).toBe(true)
  expect(await screen.findByRole('log')).toBeTruthy()
})

it('the terminal receives the Escape key, and F6 moves the focus out of the terminal', async () => {
  fakeTerminals()
  const onClose = vi.fn()
  serve({ body: { containers: [page], ...offer, hasTerminal: true, isTest: true } })
  await open(onClose)
  await user.click(await screen.findByRole('button', { name: 'Open a terminal' }))
  const region = screen.getByRole('region', { name: 'Terminal' })
  const field = await waitFor(() => region.querySelector('textarea') ?? Promise.reject(new Error('no screen yet')))
  act(() => field.focus())
  await user.keyboard('{Escape}')
  expect(onClose).not.toHaveBeenCalled()
  await user.keyboard('{F6}')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Close the terminal' }))
  await user.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalled()
})

it('the terminal closes when the user chooses a different container or closes the dialog', async () => {
  const sockets = fakeTerminals()
  serve({ body: { containers: [page, db], ...offer, hasTerminal: true, isTest: true } })
  const { unmount } = await open()
  await user.click(await screen.findByRole('button', { name: 'Open a terminal' }))
  await user.click(screen.getAllByRole('radio')[1]!)
  expect(sockets[0]?.isClosed).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Open a terminal' }))
  expect(sockets[1]?.address).toContain('/db/terminal')
  unmount()
  expect(sockets[1]?.isClosed).toBe(true)
})

it('the dialog explains how to enable terminals, and offers no terminal in an instance of a team', async () => {
  serve({ body: { containers: [page], ...offer, isTest: true } })
  const { unmount } = await open()
  expect(await screen.findByText(/operator\.terminals\.enabled/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Open a terminal' })).toBeNull()
  unmount()
  serve({ body: { containers: [page], ...offer, hasTerminal: true } })
  await open()
  await screen.findAllByRole('radio')
  expect(screen.queryByRole('button', { name: 'Open a terminal' })).toBeNull()
  expect(screen.queryByText(/operator\.terminals\.enabled/)).toBeNull()
})
