import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { MailCard } from './mail-card.tsx'

const user = userEvent.setup()
const divisions = { 'GET /api/edit/games/3/divisions': { body: [{ id: 7, name: 'Students' }] } }

async function openDialog() {
  await renderInApp(<MailCard gameId={3} />, { areas: ['admin-game'] })
  await user.click(screen.getByRole('button', { name: 'Write email' }))
  return within(screen.getByRole('dialog'))
}

it('the card sends a mail to the chosen audience only after a confirmation with the number of recipients', async () => {
  const asked = simulateServer({
    ...divisions,
    'GET /api/edit/games/3/mail': ({ address }: { address: string }) => ({
      body: { recipients: address.includes('divisionId=7') ? 12 : 40 },
    }),
    'POST /api/edit/games/3/mail': { body: { recipients: 12 } },
  })
  const dialog = await openDialog()
  await dialog.findByText('Participants who get the email: 40')
  await user.selectOptions(
    dialog.getByRole('combobox', { name: 'Recipients' }),
    await dialog.findByRole('option', { name: 'Students' }),
  )
  await dialog.findByText('Participants who get the email: 12')
  await user.click(dialog.getByRole('button', { name: 'Send email' }))
  expect(screen.queryByRole('alertdialog')).toBeNull()
  await user.type(dialog.getByRole('textbox', { name: 'Subject' }), ' Doors open ')
  await user.type(dialog.getByRole('textbox', { name: 'Text' }), 'See you.')
  await user.click(dialog.getByRole('button', { name: 'Send email' }))
  const question = within(screen.getByRole('alertdialog'))
  expect(question.getByText('Participants who get the email: 12')).toBeTruthy()
  expect(asked.some(({ method }) => method === 'POST')).toBe(false)
  await user.click(question.getByRole('button', { name: 'Send email' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({ divisionId: 7, subject: 'Doors open', text: 'See you.' })
})

it('the card does not offer to send a mail that has no recipients', async () => {
  simulateServer({ ...divisions, 'GET /api/edit/games/3/mail': { body: { recipients: 0 } } })
  const dialog = await openDialog()
  await dialog.findByText('No participant gets this email')
  expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Send email' }).disabled).toBe(true)
})

it('the card shows why the platform cannot send mails', async () => {
  const title = 'No mail server is configured'
  simulateServer({
    ...divisions,
    'GET /api/edit/games/3/mail': { status: 400, body: { title, status: 400, code: 'email.no-server' } },
  })
  const dialog = await openDialog()
  expect(await dialog.findByText(title)).toBeTruthy()
  expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Send email' }).disabled).toBe(true)
})

it('the typed mail remains after a reload', async () => {
  simulateServer({ ...divisions, 'GET /api/edit/games/3/mail': { body: { recipients: 4 } } })
  const dialog = await openDialog()
  await user.type(dialog.getByRole('textbox', { name: 'Text' }), 'See you.')
  cleanup()
  const again = await openDialog()
  expect(again.getByRole<HTMLTextAreaElement>('textbox', { name: 'Text' }).value).toBe('See you.')
})
