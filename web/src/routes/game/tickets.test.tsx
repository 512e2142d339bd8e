import type { TeamTicketThread } from '@capstan/contract/tickets'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route as DeskRoute } from './monitor/tickets.tsx'
import { Route } from './tickets.tsx'

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
const answersAs = (role: string) => ({
  'GET /api/account/profile': { body: { userId: ticketId, userName: 'mira', role } },
  'GET /api/game/3': { body: game },
  'GET /api/game/3/tickets': { body: [thread.ticket] },
  [`GET /api/game/3/tickets/${ticketId}`]: { body: thread },
})

it('the tickets page shows a player a ticket with its messages', async () => {
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

it('the tickets page shows an organizer the queue, a ticket, and what the team has done with the challenge', async () => {
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
