import type { TeamTicketThread } from '@capstan/contract/tickets'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route as DeskRoute } from './monitor/tickets.tsx'
import { Route } from './tickets.tsx'

const user = userEvent.setup()
const hour = 3_600_000
const ticketId = 'b4a0e7a2-0000-4000-8000-000000000009'
const game = {
  ...{ id: 3, title: 'Harbour Trials', summary: '', content: '', hidden: false, organizations: [], poster: null, limit: 4 },
  ...{ teamCount: 7, organization: null, teamName: 'Night Watch', practiceMode: true, status: 'Pending' },
  ...{ start: new Date(Date.now() - hour).toISOString(), end: new Date(Date.now() + hour).toISOString() },
}
const head = {
  ...{ id: ticketId, subject: 'The buoy sinks', challengeId: null, challengeTitle: null, isClosed: false },
  ...{ openedAt: Date.now() - hour, updatedAt: Date.now() - hour },
}
const thread: TeamTicketThread = {
  ticket: { ...head, isUnread: false },
  messages: [
    { author: 'mira', isFromTeam: true, text: 'It sank twice.', sentAt: Date.now() - hour },
    { author: null, isFromTeam: false, text: 'Please restart it.', sentAt: Date.now() - hour / 2 },
  ],
}
function answersAs(role: string) {
  return {
    'GET /api/account/profile': { body: { userId: ticketId, userName: 'mira', role } },
    'GET /api/game/3': { body: game },
    'GET /api/game/3/tickets': { body: [thread.ticket] },
    [`GET /api/game/3/tickets/${ticketId}`]: { body: thread },
  }
}

beforeEach(() => sessionStorage.clear())

it('for a player, the tickets page shows a ticket with its messages', async () => {
  simulateServer(answersAs('User'))
  await renderInApp(<Route />, {
    at: `/games/3/tickets/${ticketId}`,
    pattern: '/games/:id/tickets/:ticketId?',
    areas: ['tickets'],
  })
  expect(await screen.findByText('Please restart it.')).toBeTruthy()
  expect(screen.getByRole('link', { name: /The buoy sinks/ }).getAttribute('aria-current')).toBe('page')
  expect(screen.getByLabelText('Reply')).toBeTruthy()
})

it('the tickets page shows the form for a new ticket', async () => {
  simulateServer(answersAs('User'))
  await renderInApp(<Route />, { at: '/games/3/tickets/new', pattern: '/games/:id/tickets/:ticketId?', areas: ['tickets'] })
  expect(await screen.findByLabelText('Subject')).toBeTruthy()
})

it('for an organizer, the tickets page shows the queue, a ticket, and what the team has done with the challenge', async () => {
  const ticket = {
    ...{ ...head, challengeId: 8, challengeTitle: 'Buoy', teamId: 5, team: 'Night Watch', participationId: 6, author: 'mira' },
    ...{ assignee: null, isWaiting: true, isUnread: false },
  }
  const facts = { instances: [], connections: [], attempts: [] }
  simulateServer({
    ...answersAs('Admin'),
    'GET /api/game/3/monitor/tickets': {
      body: { data: [ticket], total: 120, counts: { open: 120, unassigned: 1, mine: 0, closed: 0, all: 120 }, organizers: [] },
    },
    [`GET /api/game/3/monitor/tickets/${ticketId}`]: { body: { ticket, messages: thread.messages, facts } },
    'GET /api/canned-answers': { body: [{ id: 1, title: 'Restart', text: 'Please restart it.' }] },
  })
  const at = `/games/3/monitor/tickets/${ticketId}`
  await renderInApp(<DeskRoute />, { at, pattern: '/games/:id/monitor/tickets/:ticketId?', areas: ['tickets', 'monitor'] })
  expect(await screen.findByText('No attempts')).toBeTruthy()
  expect(screen.getByRole('searchbox', { name: 'Search tickets' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Next page' })).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'Turn into a notice' })).toBeTruthy()
  expect(await screen.findByRole('option', { name: 'Restart' })).toBeTruthy()
})

const pattern = '/games/:id/tickets/:ticketId?'

it('a new ticket keeps its subject and its text after a reload, until the player sends it', async () => {
  const opened = { ...thread.ticket, id: 'b4a0e7a2-0000-4000-8000-000000000010' }
  simulateServer({
    ...answersAs('User'),
    'POST /api/game/3/tickets': { body: { id: opened.id } },
    [`GET /api/game/3/tickets/${opened.id}`]: { body: { ticket: opened, messages: [] } },
  })
  const open = () => renderInApp(<Route />, { at: '/games/3/tickets/new', pattern, areas: ['tickets'] })
  const typed = () => ['Subject', 'Message'].map((label) => screen.getByLabelText<HTMLInputElement>(label).value)
  await open()
  await user.type(await screen.findByLabelText('Subject'), 'No start')
  await user.type(screen.getByLabelText('Message'), 'I tried twice.')
  cleanup()
  await open()
  await screen.findByLabelText('Subject')
  expect(typed()).toEqual(['No start', 'I tried twice.'])
  await user.click(screen.getByRole('button', { name: 'Send' }))
  await screen.findByLabelText('Reply')
  cleanup()
  await open()
  await screen.findByLabelText('Subject')
  expect(typed()).toEqual(['', ''])
})

it('a reply to a ticket and an answer of an organizer remain after a reload', async () => {
  const ticket = {
    ...{ ...head, teamId: 5, team: 'Night Watch', participationId: 6, author: 'mira' },
    ...{ assignee: null, isWaiting: true, isUnread: false },
  }
  simulateServer({
    ...answersAs('Admin'),
    'GET /api/game/3/monitor/tickets': {
      body: { data: [ticket], total: 1, counts: { open: 1, unassigned: 1, mine: 0, closed: 0, all: 1 }, organizers: [] },
    },
    [`GET /api/game/3/monitor/tickets/${ticketId}`]: { body: { ticket, messages: [], facts: null } },
    'GET /api/canned-answers': { body: [] },
  })
  const asTeam = () => renderInApp(<Route />, { at: `/games/3/tickets/${ticketId}`, pattern, areas: ['tickets'] })
  const asOrganizer = () =>
    renderInApp(<DeskRoute />, {
      ...{ at: `/games/3/monitor/tickets/${ticketId}`, pattern: '/games/:id/monitor/tickets/:ticketId?' },
      areas: ['tickets', 'monitor', 'challenge-health'],
    })
  for (const [open, label] of [
    [asTeam, 'Reply'],
    [asOrganizer, 'Answer'],
  ] as const) {
    await open()
    await user.type(await screen.findByLabelText(label), `My ${label}`)
    cleanup()
    await open()
    expect((await screen.findByLabelText<HTMLTextAreaElement>(label)).value).toBe(`My ${label}`)
    cleanup()
  }
})
