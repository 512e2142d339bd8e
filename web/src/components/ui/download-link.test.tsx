import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseFileNameHeader } from '../../lib/download.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { DownloadButton } from './download-link.tsx'
import { useToasts } from './toast.ts'
import { ToastRegion } from './toast-region.tsx'

const user = userEvent.setup()
const path = '/api/game/1/scoreboardsheet'
const small = { 'Content-Length': '2', 'Content-Disposition': 'attachment; filename="Board.xlsx"' }

let saved: { href: string; name: string }[]

function showLink(name?: string) {
  return renderInApp(
    <>
      <DownloadButton href={path} {...(name !== undefined && { name })}>
        Sheet
      </DownloadButton>
      <ToastRegion />
    </>,
  )
}
function link() {
  return screen.getByRole('link', { name: 'Sheet' })
}

beforeEach(() => {
  saved = []
  URL.createObjectURL = () => 'blob:kept'
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ href: this.href, name: this.download })
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  useToasts.setState({ toasts: [], used: false })
})

describe('a link to a file', () => {
  it('a link saves a small file with the name from the server', async () => {
    simulateServer({ [`GET ${path}`]: { body: {}, headers: small } })
    await showLink()
    await user.click(link())
    await waitFor(() => expect(saved).toEqual([{ href: 'blob:kept', name: 'Board.xlsx' }]))
  })

  it.each([{}, { 'Content-Length': '900000000' }])('the browser itself downloads a large file (%o)', async (headers) => {
    simulateServer({ [`GET ${path}`]: { body: {}, headers } })
    await showLink('all.tar.gz')
    await user.click(link())
    await waitFor(() => expect(saved).toEqual([{ href: new URL(path, location.origin).href, name: 'all.tar.gz' }]))
  })

  it('a link shows why its download failed, and its button retries the download', async () => {
    const refused = { status: 403, body: { title: 'You don’t have access to this page', status: 403, code: 'request.forbidden' } }
    const answers = [refused, { body: {}, headers: small }]
    simulateServer({ [`GET ${path}`]: () => answers.shift() ?? refused })
    await showLink()
    link().focus()
    await user.keyboard('{Enter}')
    expect(await screen.findByText('Failed to download')).toBeTruthy()
    expect(screen.getByText('You don’t have access to this page')).toBeTruthy()
    expect(saved).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(saved).toHaveLength(1))
  })

  it('a link shows an error if the connection fails', async () => {
    globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'))
    await showLink()
    await user.click(link())
    expect(await screen.findByText('Network Error. Check your connection and try again.')).toBeTruthy()
  })

  it('a link sends one request for several clicks, and shows the progress', async () => {
    let answer = (_: Response) => {}
    const asked = vi.fn(() => new Promise<Response>((resolve) => (answer = resolve)))
    globalThis.fetch = asked
    await showLink()
    await user.click(link())
    await user.click(link())
    expect(link().getAttribute('aria-busy')).toBe('true')
    answer(new Response('{}', { headers: small }))
    await waitFor(() => expect(saved).toHaveLength(1))
    expect(asked).toHaveBeenCalledOnce()
    expect(link().hasAttribute('aria-busy')).toBe(false)
  })

  it.each([{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }])(
    'a link does not handle a click with a modifier key, so the browser does: %o',
    async (keys) => {
      const received = simulateServer({})
      await showLink()
      link().addEventListener('click', (event) => event.preventDefault())
      fireEvent.click(link(), keys)
      expect(received).toEqual([])
      expect(link().getAttribute('href')).toBe(path)
    },
  )
})

describe('the file name in a response', () => {
  it.each([
    ['attachment; filename="Board.xlsx"', 'Board.xlsx'],
    [`attachment; filename="__.xlsx"; filename*=UTF-8''%E6%B1%BA%E5%8B%9D.xlsx`, '決勝.xlsx'],
    [null, ''],
  ])('the file name in the header %s is "%s"', (header, name) => expect(parseFileNameHeader(header)).toBe(name))
})
