import type { ChallengeReach, ReachOffer } from '@capstan/contract/reach'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { aChallenge } from '../../testing/challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { type TypedContainer, toTypedContainers } from './containers-form.ts'
import { NetworkAccessCard } from './network-access-card.tsx'

const user = userEvent.setup()
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

const [entry] = toTypedContainers(aChallenge()) as [TypedContainer]

function Editor({ reach }: { readonly reach: ChallengeReach }) {
  const [container, setContainer] = useState({ ...entry, port: '1337', reach })
  const set = (patch: Partial<TypedContainer>) => setContainer((known) => ({ ...known, ...patch }))
  return <NetworkAccessCard container={container} isEntry containers={[container]} faults={{}} set={set} />
}

async function open(reach: ChallengeReach, offer: ReachOffer = all) {
  const asked = simulateServer({ 'GET /api/edit/reach': { body: offer } })
  await renderInApp(<Editor reach={reach} />, { areas: ['admin-challenges', 'admin-container'] })
  await screen.findByRole('combobox', { name: 'Protocol' })
  await waitFor(() => expect(document.querySelector('[data-skeleton], [aria-busy]')).toBeNull())
  return () => asked.filter(({ method }) => method !== 'GET')
}
function ways() {
  const list = within(screen.getByRole('region', { name: 'What players get, with an example address' }))
  return list.getAllByRole('listitem').map(({ textContent }) => textContent)
}

it('the card shows how players can connect with the chosen protocol, and sends no request', async () => {
  const sent = await open(tcp)
  expect(ways().slice(0, 2)).toEqual(['TCPplay.example:31000', 'TLSk4q7w2x5m3n6p2r7t4v3.play.example:1337'])
  await user.selectOptions(screen.getByRole('combobox', { name: 'Protocol' }), 'http')
  await waitFor(() => expect(ways()[0]).toBe('HTTPhttps://k4q7w2x5m3n6p2r7t4v3.play.example/'))
  await user.click(screen.getByRole('switch', { name: 'Require an access link' }))
  await waitFor(() => expect(ways()[0]).toBe('HTTPhttps://k4q7w2x5m3n6p2r7t4v3.play.example/.capstan/open?key=…'))
  expect(sent()).toEqual([])
})

it('the card shows the address of a new port after the user has selected a protocol', async () => {
  await open(tcp)
  await user.click(screen.getByRole('button', { name: 'Add a port' }))
  await user.type(screen.getByRole('textbox', { name: 'Extra port 1' }), '9000')
  expect(ways()).toHaveLength(3)
  await user.selectOptions(screen.getByRole('combobox', { name: 'Protocol of extra port 1' }), 'tcp')
  await waitFor(() => expect(ways()).toContain('TCP :9000play.example:31001'))
})

it('the card removes the access key if the gateway must not parse the traffic', async () => {
  await open({ ...tcp, speaks: 'http', isGuarded: true })
  await user.click(screen.getByRole('switch', { name: 'Forward HTTP unchanged' }))
  await waitFor(() => expect(screen.queryByRole('switch', { name: 'Require an access link' })).toBeNull())
  await user.click(screen.getByRole('switch', { name: 'Forward HTTP unchanged' }))
  const guard = await screen.findByRole<HTMLInputElement>('switch', { name: 'Require an access link' })
  expect(guard.checked).toBe(false)
})

it('the card warns about connections that the installation does not offer', async () => {
  await open({ ...tcp, speaks: 'http' }, { ...all, web: 'off' })
  expect(screen.getByText(/^Browsers cannot open it here/)).toBeTruthy()
})
