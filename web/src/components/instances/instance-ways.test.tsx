import type { ChallengeView } from '@capstan/contract/challenges'
import type { InstanceAccess } from '@capstan/contract/reach'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { ChallengeInstance } from './challenge-instance.tsx'
import { useTerminals } from './terminal/terminals.ts'

const user = userEvent.setup()
const id = '0f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a'
const host = 'abcdefghijklmnopqrst.play.example'
const http: InstanceAccess = { way: 'http', address: `https://${host}/` }
const tls: InstanceAccess = { way: 'tls', address: `${host}:1337` }
const tcp: InstanceAccess = { way: 'tcp', address: 'play.example:31007' }
const websocket: InstanceAccess = { way: 'websocket', address: `/api/proxy/${id}` }
const waysPath = '/api/game/3/container/8/ways'

async function showInstance(ways: readonly InstanceAccess[] | undefined, { category = 'Pwn' as 'Pwn' | 'Web', entry = id } = {}) {
  const asked = simulateServer({
    'GET /api/game/3/instances': { body: [] },
    ...(ways && { [`GET ${waysPath}`]: { body: ways } }),
  })
  const challenge: ChallengeView = {
    ...{ id: 8, title: 'Chandlery', content: '', category, hints: null, score: 100, type: 'DynamicContainer' },
    context: {
      ...{ instanceEntry: entry, closeTime: new Date(Date.now() + 3_600_000).toISOString(), url: null, fileSize: null },
    },
    deadline: null,
    limit: 0,
    attempts: 0,
    hintOffers: [],
    parts: [],
    nextAttemptAt: null,
  }
  await renderInApp(<ChallengeInstance gameId={3} challenge={challenge} />, { areas: ['instances'] })
  return asked
}
function codes() {
  return [...document.querySelectorAll('code')].map(({ textContent }) => textContent)
}
async function folded() {
  return within((await screen.findByText('Other ways to connect')).closest('details') as HTMLElement)
}

beforeEach(() => useTerminals.setState(useTerminals.getInitialState()))

describe('the connections in the instance panel', () => {
  it('the panel shows the host name of a web challenge first', async () => {
    await showInstance([http, tls, tcp, websocket], { category: 'Web' })
    const open = await screen.findByRole('link', { name: 'Open in browser' })
    expect(open.getAttribute('href')).toBe(`https://${host}/`)
    expect(open.getAttribute('target')).toBe('_blank')
    expect(codes()[0]).toBe(`https://${host}/`)
    expect((await folded()).getByText(`curl -i https://${host}/`)).toBeTruthy()
  })

  it('the panel shows the label of each port that has one', async () => {
    const shop = { ...http, label: 'Shop' }
    const admin: InstanceAccess = { way: 'tcp', address: 'play.example:31008', port: 9000, label: 'Admin console' }
    const unnamed: InstanceAccess = { way: 'tcp', address: 'play.example:31009', port: 9001 }
    await showInstance([shop, websocket, admin, unnamed])
    const headings = (await screen.findAllByRole('heading', { level: 4 })).map(({ textContent }) => textContent)
    expect(headings.slice(0, 3)).toEqual(['Shop', 'Admin console', 'Port 9001'])
  })

  it('the panel shows one command for a TCP challenge, and collapses the commands for other tools', async () => {
    await showInstance([tcp, tls, websocket])
    const others = await folded()
    expect(codes()[0]).toBe('nc play.example 31007')
    expect(others.queryByText('nc play.example 31007')).toBeNull()
    expect(screen.queryByRole('link', { name: 'Open in browser' })).toBeNull()
    expect(others.getAllByRole('heading').map(({ textContent }) => textContent)).toEqual(['TCP', 'TLS', 'WebSocket'])
    const lines = [`ncat --ssl ${host} 1337`, "from pwn import *; io = remote('play.example', 31007)"]
    for (const line of [...lines, `websocat -b ws://localhost:3000/api/proxy/${id}`]) expect(others.getByText(line)).toBeTruthy()
    expect(others.getByText('Other ways to connect').closest('details')?.open).toBe(false)
  })

  it('the panel shows the best connection to each additional port, and collapses all other connections', async () => {
    const shop = { way: 'http', address: `https://${host.replace('.', '-8080.')}/`, port: 8080 } as const
    await showInstance([tcp, websocket, shop, { ...tls, port: 8080 }])
    const section = within(await screen.findByRole('region', { name: 'Port 8080' }))
    expect(section.getByRole('link', { name: 'Open in browser' }).getAttribute('href')).toBe(shop.address)
    expect(codes().slice(0, 2)).toEqual(['nc play.example 31007', shop.address])
    const headings = (await folded()).getAllByRole('heading').map(({ textContent }) => textContent)
    expect(headings).toEqual(['TCP', 'WebSocket', 'HTTP :8080', 'TLS :8080'])
  })

  it('the panel has a copy button beside each command', async () => {
    await showInstance([tls, websocket])
    await user.click((await screen.findAllByRole('button', { name: 'Copy command' }))[0] as HTMLElement)
    expect(await navigator.clipboard.readText()).toBe(`ncat --ssl ${host} 1337`)
  })

  it('the link to a protected instance contains its key, and commands send the key in a header', async () => {
    await showInstance([{ ...http, key: 'the-key' }, websocket], { category: 'Web' })
    const open = await screen.findByRole('link', { name: 'Open in browser' })
    expect(open.getAttribute('href')).toBe(`https://${host}/.capstan/open?key=the-key`)
    expect(codes()[0]).toBe(`https://${host}/.capstan/open?key=the-key`)
    expect((await folded()).getByText(`curl -i -H 'Capstan-Key: the-key' https://${host}/`)).toBeTruthy()
  })

  it('the panel opens a terminal in the page', async () => {
    await showInstance([tcp, websocket])
    await user.click(await screen.findByRole('button', { name: 'Open terminal' }))
    expect(useTerminals.getState().tabs).toMatchObject([{ id, title: 'Chandlery' }])
  })

  it('the panel shows a QR code on request', async () => {
    await showInstance([http, websocket])
    await user.click(await screen.findByRole('button', { name: 'QR code' }))
    const code = await screen.findByRole('img', { name: `QR code of https://${host}/` })
    // The address has 42 bytes and just fits into version 3 of QR codes. Such a code has 29 modules, plus a margin of four on each
    // side.
    expect(code.getAttribute('viewBox')).toBe('0 0 37 37')
    expect(code.querySelectorAll('path')).toHaveLength(2)
  })

  it('the panel offers no QR code if only this machine can open the address', async () => {
    await showInstance([{ way: 'http', address: 'http://abcdefghijklmnopqrst.localhost:8080/' }, websocket])
    await screen.findByRole('link', { name: 'Open in browser' })
    expect(screen.queryByRole('button', { name: 'QR code' })).toBeNull()
  })

  it.each([
    ['the tunnel is the only one', [websocket]],
    ['the connections could not be read', undefined],
  ])('the panel hides the section "Other ways to connect" if %s', async (_, ways) => {
    await showInstance(ways)
    expect(await screen.findByText('From your own terminal')).toBeTruthy()
    expect(codes()[0]).toBe(`ws://localhost:3000/api/proxy/${id}`)
    expect(screen.queryByText('Other ways to connect')).toBeNull()
  })

  it('the page does not request the list of connections for an instance with a direct address', async () => {
    const asked = await showInstance([], { entry: '192.0.2.7:31337' })
    expect(await screen.findByText('192.0.2.7:31337')).toBeTruthy()
    expect(asked.some(({ address }) => address === waysPath)).toBe(false)
  })

  it('the panel hides connections that belong to an earlier instance', async () => {
    await showInstance([tcp, { way: 'websocket', address: '/api/proxy/00000000-7a6b-4a53-9c55-1f2e3d4c5b6a' }])
    expect(await screen.findByText('Waiting for the address…')).toBeTruthy()
    expect(codes()).toEqual([])
  })
})
