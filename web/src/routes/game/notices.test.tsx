import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { GameLayout } from '../../components/layout/game-layout.tsx'
import { useReadNotices } from '../../stores/read-notices.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route } from './notices.tsx'

function from(ms: number) {
  return new Date(Date.now() + ms).toISOString()
}
const hour = 3_600_000
const userId = '00000000-0000-4000-8000-000000000001'

const game = {
  ...{ id: 3, title: 'Harbour Trials', summary: '', content: '', hidden: false, organizations: [], poster: null, limit: 4 },
  ...{ teamCount: 7, organization: null, teamName: 'Night Watch', practiceMode: true, status: 'Accepted' },
  ...{ start: from(-hour), end: from(hour) },
}
function notice(id: number, type: string, ...values: string[]) {
  return { id, type, values, time: from(-hour + id * 1000) }
}
const answers = {
  'GET /api/account/profile': { body: { userId, userName: 'mira', role: 'User' } },
  'GET /api/game/3': { body: game },
  'GET /api/game/3/notices': {
    body: [
      notice(1, 'Normal', 'Welcome aboard'),
      notice(4, 'Normal', 'Lunch is served'),
      notice(6, 'Normal', 'The harbour closes at ten'),
      notice(7, 'FirstBlood', 'Gulls', 'Seal'),
      notice(8, 'NewHint', 'Seal'),
    ],
  },
  'GET /api/game/3/details': {
    body: {
      ...{ challengeCount: 1, rank: null, teamToken: '', writeupRequired: false, writeupDeadline: from(hour) },
      challenges: {
        Web: [{ id: 8, title: 'Seal', category: 'Web', score: 100, solved: 1, bloods: [], disableBloodBonus: false }],
      },
    },
  },
}

function showNotices(at = '/games/3/notices') {
  return renderInApp(<Route />, { at, pattern: '/games/:id/notices', areas: ['notices'] })
}
async function unreadList() {
  return within(await screen.findByRole('region', { name: 'Unread announcements' }))
}
function shownTexts(list: Pick<typeof screen, 'getAllByRole'>) {
  return list.getAllByRole('listitem').map((item) => /Welcome|Lunch|harbour/.exec(item.textContent ?? '')?.[0])
}

beforeEach(() => {
  localStorage.clear()
  useReadNotices.setState({ ids: { [userId]: [1] } })
})

it('the notices page pins unread announcements, newest first, until they are marked as read', async () => {
  simulateServer(answers)
  await showNotices()
  const list = await unreadList()
  await waitFor(() => expect(shownTexts(list)).toEqual(['harbour', 'Lunch']))
  const [first] = list.getAllByRole('button', { name: 'Mark as read' })
  if (first) fireEvent.click(first)
  expect(shownTexts(list)).toEqual(['Lunch'])
  const last = list.getByRole('button', { name: 'Mark as read' })
  expect(document.activeElement).toBe(last)
  fireEvent.click(last)
  expect(screen.queryByRole('region', { name: 'Unread announcements' })).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: 'Notices' }))
  expect(useReadNotices.getState().ids).toEqual({ [userId]: [1, 6, 4] })
  // The list of all notices contains the unread announcements too.
  expect(await screen.findByText('Lunch is served')).toBeTruthy()
})

it('one click marks all announcements as read', async () => {
  simulateServer(answers)
  await showNotices()
  fireEvent.click(await screen.findByRole('button', { name: 'Mark all as read' }))
  expect(screen.queryByRole('button', { name: 'Mark as read' })).toBeNull()
  expect(useReadNotices.getState().ids[userId]?.toSorted()).toEqual([1, 4, 6])
})

it('the notices page pins no announcements while the filter shows bloods', async () => {
  simulateServer(answers)
  await showNotices('/games/3/notices?show=events')
  await screen.findByText('Gulls')
  expect(screen.queryByRole('region', { name: 'Unread announcements' })).toBeNull()
})

it('each notice links to its challenge', async () => {
  simulateServer(answers)
  await showNotices()
  await waitFor(() => expect(screen.getAllByRole('link', { name: 'Seal' })).toHaveLength(2))
  for (const link of screen.getAllByRole('link', { name: 'Seal' }))
    expect(link.getAttribute('href')).toBe('/games/3/challenges/8')
})

it.each([
  ['a link', [], '/teams/12'],
  ['a text if the visitor may not open its page', [12], undefined],
])('the notices page shows the team of a notice as %s', async (_, closed, address) => {
  const items = [{ id: 12, name: 'Gulls', solvedChallenges: [] }]
  simulateServer({
    ...answers,
    'GET /api/game/3/scoreboard': { body: { updateTimeUtc: from(0), items, timeLines: {}, challenges: {} } },
    'GET /api/profiles/games/3/closed': { body: closed },
  })
  await showNotices()
  await screen.findAllByRole('link', { name: 'Seal' })
  const hrefOf = () => screen.getByText('Gulls').getAttribute('href') ?? undefined
  await waitFor(() => expect(hrefOf()).toBe(address))
})

it('the tab counts unread announcements until another browser tab marks them as read', async () => {
  simulateServer(answers)
  await renderInApp(<GameLayout />, { at: '/games/3', pattern: '/games/:id' })
  await screen.findByRole('link', { name: /^Notices.*2 unread announcements$/ })
  localStorage.setItem('read-notices', JSON.stringify({ state: { ids: { [userId]: [1, 4] } }, version: 0 }))
  dispatchEvent(new StorageEvent('storage', { key: 'read-notices' }))
  await screen.findByRole('link', { name: /^Notices.*1 unread announcement$/ })
  useReadNotices.getState().add(userId, [6])
  await screen.findByRole('link', { name: 'Notices' })
})
