import type { ChallengeEdit } from '@capstan/contract/challenges'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { aChallenge, gameOfChallenge } from '../../../testing/challenge.ts'
import { show } from '../../../testing/render.tsx'
import { answering } from '../../../testing/server.ts'
import { Route } from './challenge.tsx'
import { Route as FlagsRoute } from './flags.tsx'

const user = userEvent.setup()
beforeEach(() => sessionStorage.clear())
const address = '/api/edit/games/3/challenges/7'

const challengeOf = (changed: Partial<ChallengeEdit>) => aChallenge({ title: 'Papers', ...changed })

const open = () =>
  show(<Route />, {
    at: '/admin/games/3/challenges/7?section=flags',
    pattern: '/admin/games/:id/challenges/:chalId',
    areas: ['admin-challenges', 'admin-container', 'editing'],
  })

it('the former page of flags leads to their section', async () => {
  const { address } = await show(<FlagsRoute />, {
    at: '/admin/games/3/challenges/7/flags',
    pattern: '/admin/games/:id/challenges/:chalId/flags',
  })
  expect(address()).toBe('/admin/games/3/challenges/7?section=flags')
})

it('many flags are added in one call, and the field is empty again', async () => {
  const asked = answering({
    ...gameOfChallenge,
    [`GET ${address}`]: { body: challengeOf({ type: 'StaticAttachment' }) },
    [`POST ${address}/flags`]: {},
  })
  await open()
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Flags, one per line' })
  await user.click(field)
  await user.paste('flag{one}\nflag{two}\n')
  await user.click(screen.getByRole('button', { name: 'Add 2 flags' }))
  await waitFor(() => expect(field.value).toBe(''))
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual([{ flag: 'flag{one}' }, { flag: 'flag{two}' }])
})

it('a flag that is typed is added by Enter, and Shift with Enter begins another', async () => {
  const asked = answering({
    ...gameOfChallenge,
    [`GET ${address}`]: { body: challengeOf({ type: 'StaticAttachment' }) },
    [`POST ${address}/flags`]: {},
  })
  await open()
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Flags, one per line' })
  await user.type(field, 'one{Shift>}{Enter}{/Shift}two')
  expect(field.value).toBe('one\ntwo')
  await user.keyboard('{Enter}')
  await waitFor(() => expect(field.value).toBe(''))
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual([{ flag: 'one' }, { flag: 'two' }])
})

it('flags that are typed survive a reload', async () => {
  answering({ ...gameOfChallenge, [`GET ${address}`]: { body: challengeOf({ type: 'StaticAttachment' }) } })
  const { unmount } = await open()
  await user.click(await screen.findByRole('textbox', { name: 'Flags, one per line' }))
  await user.paste('flag{one}')
  unmount()
  await open()
  expect((await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Flags, one per line' })).value).toBe('flag{one}')
})

it('pairs with a missing address are named by line and nothing is sent', async () => {
  const asked = answering({
    ...gameOfChallenge,
    [`GET ${address}`]: { body: challengeOf({ type: 'DynamicAttachment' }) },
    'GET /api/game/3/participations': { body: [] },
  })
  await open()
  await user.click(await screen.findByRole('textbox', { name: '“flag URL”, one pair per line' }))
  await user.paste('flag{one} https://files.example/1\nflag{two}')
  expect(screen.getByText('Line 2: address missing')).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Add 2 flags' }).disabled).toBe(true)
  expect(asked.some(({ method }) => method === 'POST')).toBe(false)
})

it('fewer files than teams are a warning', async () => {
  const flags = [{ id: 1, flag: 'flag{one}', attachment: null }]
  const team = { status: 'Accepted' }
  answering({
    ...gameOfChallenge,
    [`GET ${address}`]: { body: challengeOf({ type: 'DynamicAttachment', flags }) },
    'GET /api/game/3/participations': { body: [team, team] },
  })
  await open()
  expect(await screen.findByText(/1 files for 2 teams/)).toBeTruthy()
  expect(screen.getByText('Too few files')).toBeTruthy()
})

it('deleting the last flag says that the challenge is disabled with it', async () => {
  const flags = [{ id: 9, flag: 'flag{one}', attachment: null }]
  const asked = answering({
    ...gameOfChallenge,
    [`GET ${address}`]: { body: challengeOf({ type: 'StaticAttachment', flags, isEnabled: true }) },
    [`DELETE ${address}/flags/9`]: { body: 'Success' },
  })
  await open()
  await user.click(await screen.findByRole('button', { name: 'Delete flag' }))
  expect(await screen.findByText('These are the last flags, so the challenge will be disabled.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Delete flag' }))
  await waitFor(() => expect(asked.some(({ method }) => method === 'DELETE')).toBe(true))
})

it('a flag is changed in its row: the new one is added before the old one goes', async () => {
  const flags = [{ id: 9, flag: 'flag{one}', attachment: null }]
  const asked = answering({
    ...gameOfChallenge,
    [`GET ${address}`]: { body: challengeOf({ type: 'StaticAttachment', flags }) },
    [`GET ${address}/flags/rules`]: { body: [{ id: 9, flag: 'flag{one}', kind: 'Exact' }] },
    [`POST ${address}/flags`]: {},
    [`DELETE ${address}/flags/9`]: { body: 'Success' },
  })
  await open()
  await user.click(await screen.findByRole('button', { name: 'Edit flag' }))
  const field = screen.getByRole('textbox', { name: 'Flag' })
  expect(document.activeElement).toBe(field)
  await user.type(field, '{Backspace}s}{Enter}')
  await waitFor(() => expect(asked.some(({ method }) => method === 'DELETE')).toBe(true))
  const changes = asked.filter(({ method }) => method !== 'GET')
  expect(changes.map(({ method }) => method)).toEqual(['POST', 'DELETE'])
  expect(changes[0]?.body).toEqual([{ flag: 'flag{ones}' }])
})
