import type { UserProfile } from '@capstan/contract/accounts'
import { beforeEach, expect, it } from 'vitest'
import { useInstanceJobs } from '../components/instances/instance-jobs.ts'
import { useFlagDrafts } from '../stores/flag-drafts.ts'
import '../components/instances/terminal/sessions.ts'
import { useTerminals } from '../components/instances/terminal/terminals.ts'
import { continueAsVisitor, logOut, resumeSession } from '../lib/session.ts'
import { simulateServer } from '../testing/server.ts'

beforeEach(() => sessionStorage.clear())

it.each([
  ['logging out', logOut],
  ['continuing as a visitor', continueAsVisitor],
  ['logging in as another user', () => resumeSession({ userId: 'mira' } as UserProfile)],
])('%s clears typed flags, instances, terminals and unsaved input', async (_, leave) => {
  simulateServer({
    'POST /api/account/logout/provider': { body: { url: null } },
    'GET /api/account/profile': { body: { userId: 'noor' } },
  })
  useFlagDrafts.getState().write(7, 'flag{half')
  useInstanceJobs.getState().put({ gameId: 3, challengeId: 7 }, { kind: 'pending', since: 0 })
  useInstanceJobs.getState().waitUntil({ gameId: 3, challengeId: 7 }, 1000)
  useTerminals.getState().open({ id: 'b4a0e7a2-0000-4000-8000-000000000001', title: 'Chandlery' })
  sessionStorage.setItem('draft:post:new', '{}')
  await leave()
  expect(useFlagDrafts.getState().drafts).toEqual({})
  expect(useInstanceJobs.getState()).toMatchObject({ jobs: {}, freeAt: {} })
  expect(useTerminals.getState().tabs).toEqual([])
  expect(sessionStorage.length).toBe(0)
})

it('if an older server cannot end the session at the provider, logging out still ends the session on the platform', async () => {
  const received = simulateServer({ 'POST /api/account/logout': {} })
  expect(await logOut()).toBeNull()
  expect(received.filter(({ method }) => method === 'POST').map(({ address }) => address)).toEqual([
    '/api/account/logout/provider',
    '/api/account/logout',
  ])
})

it('logging out fails if the server responds with status 500 when it must also end the session at the provider', async () => {
  const received = simulateServer({
    'POST /api/account/logout/provider': { status: 500, body: {} },
    'POST /api/account/logout': {},
  })
  await expect(logOut()).rejects.toMatchObject({ httpStatus: 500 })
  expect(received.some(({ address }) => address === '/api/account/logout')).toBe(false)
})
