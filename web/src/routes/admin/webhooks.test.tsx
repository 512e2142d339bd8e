import { defaultTemplates, type Webhook, type WebhookDelivery } from '@capstan/contract/webhooks'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { findClickable } from '../../testing/clickable.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route } from './webhooks.tsx'

const user = userEvent.setup()
const id = 'b4a0e7a2-0000-4000-8000-000000000009'

const webhook: Webhook = {
  ...{ id, name: 'Chat', service: 'Discord', gameId: null, gameTitle: null, isForOrganizers: false, language: 'en-US' },
  ...{ isEnabled: false, kinds: ['Notice'], template: defaultTemplates.Discord, host: 'discord.com', hasAuthorization: false },
  ...{ disabledReason: 'It refused 20 events in a row.', pending: 7, lastError: null, nextAttemptAt: null },
  createdAt: '2030-01-01T00:00:00Z',
}

const delivery: WebhookDelivery = {
  ...{ id: 5, eventId: id, kind: 'Notice', state: 'Refused', gameTitle: 'Cup', occurredAt: '2030-01-01T00:00:00Z', attempts: 1 },
  ...{ attemptedAt: '2030-01-01T00:00:00Z', request: '{"text":"Cup: hello"}', status: 400, answer: 'bad' },
  error: 'The receiver answered 400.',
}

const games = { 'GET /api/edit/games': { body: { data: [], length: 0, total: 0 } } }
const areas = ['admin-webhooks', 'editing'] as const

describe('the webhooks page', () => {
  it('the webhooks page explains the purpose of webhooks if there are none', async () => {
    simulateServer({ 'GET /api/admin/webhooks': { body: [] } })
    await renderInApp(<Route />, { areas: [...areas] })
    expect(await screen.findByText('No webhooks yet')).toBeTruthy()
  })

  it('the webhooks page shows why a webhook is off, and lists its events, which can be sent again', async () => {
    simulateServer({
      'GET /api/admin/webhooks': { body: [webhook] },
      [`GET /api/admin/webhooks/${id}/deliveries`]: { body: [delivery] },
      [`POST /api/admin/webhooks/${id}/deliveries/5/resend`]: {},
    })
    await renderInApp(<Route />, { areas: [...areas] })
    expect(await screen.findByText('It refused 20 events in a row.')).toBeTruthy()
    await user.click(await findClickable('Show events of Chat'))
    const dialog = within(await screen.findByRole('dialog'))
    expect(await dialog.findByText('The receiver answered 400.')).toBeTruthy()
    expect(dialog.getByText('{"text":"Cup: hello"}')).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Send again' }))
  })

  it('the dialog asks for the authorization again if an admin changes the host of the address', async () => {
    const path = `/api/admin/webhooks/${id}`
    const received = simulateServer({
      'GET /api/admin/webhooks': { body: [{ ...webhook, hasAuthorization: true }] },
      ...games,
      [`PUT ${path}`]: { body: webhook },
    })
    await renderInApp(<Route />, { areas: [...areas] })
    await user.click(await findClickable('Edit Chat'))
    const dialog = within(await screen.findByRole('dialog'))
    const again = 'The stored authorization is not sent to another server. Enter it again.'
    await user.type(dialog.getByLabelText('Address'), 'https://discord.com/other')
    expect(dialog.queryByText(again)).toBeNull()
    await user.clear(dialog.getByLabelText('Address'))
    await user.type(dialog.getByLabelText('Address'), 'https://chat.example/hook')
    expect(dialog.getByText(again)).toBeTruthy()
    await user.click(dialog.getByRole('checkbox', { name: 'Send no authorization' }))
    await user.click(dialog.getByRole('button', { name: 'Save changes' }))
    const isSent = () => received.find(({ method }) => method === 'PUT')
    await expect.poll(isSent).toMatchObject({ body: { address: 'https://chat.example/hook', authorization: '' } })
  })

  it('the dialog for a new webhook marks missing and refused fields, and has the texts of a new webhook', async () => {
    const received = simulateServer({
      'GET /api/admin/webhooks': { body: [] },
      ...games,
      'POST /api/admin/webhooks': {
        status: 400,
        body: { title: 'Use https and a public host', status: 400, code: 'webhook.address' },
      },
    })
    await renderInApp(<Route />, { areas: [...areas] })
    await user.click(await findClickable('New webhook'))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText('Header for services that need one.')).toBeTruthy()
    const [name, address] = [dialog.getByLabelText('Name'), dialog.getByLabelText('Address')]
    await user.click(dialog.getByRole('button', { name: 'Create' }))
    await expect.poll(() => document.activeElement).toBe(name)
    expect([name, address].map((field) => field.getAttribute('aria-invalid'))).toEqual(['true', 'true'])
    expect(received.some(({ method }) => method === 'POST')).toBe(false)
    await user.type(name, 'Chat')
    await user.type(address, 'http://127.0.0.1/')
    await user.click(dialog.getByRole('button', { name: 'Create' }))
    expect(await dialog.findByText('Use https and a public host')).toBeTruthy()
    await expect.poll(() => document.activeElement).toBe(address)
  })

  it('the webhooks page creates a webhook with a preview, and shows its signing key once', async () => {
    simulateServer({
      'GET /api/admin/webhooks': { body: [] },
      ...games,
      'POST /api/admin/webhooks/preview': { body: { body: '{"content":"an example"}' } },
      'POST /api/admin/webhooks': { body: { webhook, signingKey: 'whsec_once' } },
    })
    await renderInApp(<Route />, { areas: [...areas] })
    await user.click(await findClickable('New webhook'))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByLabelText('Name'), 'Chat')
    await user.type(dialog.getByLabelText('Address'), 'https://discord.com/api/webhooks/1')
    expect(dialog.queryByRole('checkbox', { name: 'Suspected cheating' })).toBeNull()
    await user.click(dialog.getByRole('button', { name: 'Preview' }))
    expect(await dialog.findByText('{"content":"an example"}')).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Create' }))
    expect(await screen.findByText('whsec_once')).toBeTruthy()
  })
})
