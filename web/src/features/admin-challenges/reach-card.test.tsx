import type { ChallengeReach, ReachOffer } from '@capstan/contract/reach'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { answering } from '../../testing/server.ts'
import { ReachCard } from './reach-card.tsx'

const user = userEvent.setup()
const path = '/api/edit/games/3/challenges/7/reach'
const tcp: ChallengeReach = { speaks: 'tcp', isRaw: false, hasOwnCertificate: false, isGuarded: false }
const all: ReachOffer = {
  ...{
    isDirect: false,
    domain: 'play.example',
    web: 'https',
    webPort: null,
    tlsPort: 1337,
    firstPort: 31_000,
    sharesSite: false,
  },
}

async function open(reach: ChallengeReach, offer: ReachOffer = all) {
  const asked = answering({
    [`GET ${path}`]: { body: reach },
    'GET /api/edit/reach': { body: offer },
    [`PUT ${path}`]: ({ body }) => ({ body }),
  })
  await show(<ReachCard gameId={3} challengeId={7} port={1337} />, { areas: ['admin-challenges'] })
  await screen.findByRole('combobox', { name: 'Protocol' })
  return () => asked.filter(({ method }) => method === 'PUT').map(({ body }) => body)
}
function ways() {
  const list = within(screen.getByRole('region', { name: 'What players get, with an example address' }))
  return list.getAllByRole('listitem').map(({ textContent }) => textContent)
}

it('stores a changed protocol immediately, and shows the connections of players', async () => {
  const stored = await open(tcp)
  expect(ways().slice(0, 2)).toEqual(['TCPplay.example:31000', 'TLSk4q7w2x5m3n6p2r7t4v3.play.example:1337'])
  await user.selectOptions(screen.getByRole('combobox', { name: 'Protocol' }), 'http')
  await waitFor(() => expect(ways()[0]).toBe('HTTPhttps://k4q7w2x5m3n6p2r7t4v3.play.example/'))
  await user.click(screen.getByRole('switch', { name: 'Require an access link' }))
  await waitFor(() => expect(ways()[0]).toBe('HTTPhttps://k4q7w2x5m3n6p2r7t4v3.play.example/.capstan/open?key=…'))
  expect(stored()).toEqual([
    { ...tcp, speaks: 'http' },
    { ...tcp, speaks: 'http', isGuarded: true },
  ])
})

it('removes the access protection for traffic that the platform must not read', async () => {
  const stored = await open({ ...tcp, speaks: 'http', isGuarded: true })
  await user.click(screen.getByRole('switch', { name: 'Pass through raw HTTP' }))
  await waitFor(() => expect(screen.queryByRole('switch', { name: 'Require an access link' })).toBeNull())
  expect(stored()).toEqual([{ ...tcp, speaks: 'http', isRaw: true, isGuarded: false }])
})

it('warns about connections that the installation lacks', async () => {
  await open({ ...tcp, speaks: 'http' }, { ...all, web: 'off' })
  expect(screen.getByText(/^Browsers cannot open it here/)).toBeTruthy()
})

it('shows why a change was not stored, and restores the stored value', async () => {
  await open(tcp)
  answering({
    [`PUT ${path}`]: { status: 500, body: { title: 'The server failed', status: 500, code: 'server.unexpected' } },
  })
  await user.click(screen.getByRole('switch', { name: 'Brings its own certificate' }))
  expect(await screen.findByRole('alert')).toBeTruthy()
  expect((screen.getByRole('switch', { name: 'Brings its own certificate' }) as HTMLInputElement).checked).toBe(false)
})
