import type { Challenge, FullChallengeWrite } from '@capstan/contract/challenge'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { aChallenge, createFullChallengeResponses, createFullTestChallenge, gameOfChallenge } from '../../../testing/challenge.ts'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './challenge.tsx'

const user = userEvent.setup()
beforeEach(() => sessionStorage.clear())
const address = '/api/edit/games/3/challenges/7'

function challengeOf(changed: Partial<Challenge>) {
  return aChallenge({ title: 'Papers', ...changed })
}

function aFlag(flag: string) {
  return { flag, file: null }
}

const savesFullChallenge = {
  [`PUT ${address}/whole`]: ({ body }: { readonly body: unknown }) => ({
    body: { ...createFullTestChallenge(challengeOf({})), ...(body as object) },
  }),
}

function open() {
  return renderInApp(<Route />, {
    at: '/admin/games/3/challenges/7?section=flags',
    pattern: '/admin/games/:id/challenges/:chalId',
    areas: ['admin-challenges', 'admin-container', 'editing'],
  })
}

it('the flags section adds many flags in one call, and then clears the field', async () => {
  const asked = simulateServer({
    ...gameOfChallenge,
    ...createFullChallengeResponses(challengeOf({ type: 'StaticAttachment' })),
    ...savesFullChallenge,
  })
  await open()
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Flags, one per line' })
  await user.click(field)
  await user.paste('flag{one}\nflag{two}\n')
  await user.click(screen.getByRole('button', { name: 'Add 2 flags' }))
  await waitFor(() => expect(field.value).toBe(''))
  expect(asked.find(({ method }) => method === 'PUT')?.body).toMatchObject({
    challenge: { flags: [aFlag('flag{one}'), aFlag('flag{two}')] },
  })
})

it.each(['Control', 'Meta'])('Enter starts a new line, and %s+Enter adds all lines', async (modifier) => {
  const asked = simulateServer({
    ...gameOfChallenge,
    ...createFullChallengeResponses(challengeOf({ type: 'StaticAttachment' })),
    ...savesFullChallenge,
  })
  await open()
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Flags, one per line' })
  await user.type(field, 'one{Enter}two')
  expect(field.value).toBe('one\ntwo')
  expect(asked.some(({ method }) => method !== 'GET')).toBe(false)
  await user.keyboard(`{${modifier}>}{Enter}{/${modifier}}`)
  await waitFor(() => expect(field.value).toBe(''))
  expect(asked.find(({ method }) => method === 'PUT')?.body).toMatchObject({ challenge: { flags: [aFlag('one'), aFlag('two')] } })
})

it('the flags section retains entered flags during a reload', async () => {
  simulateServer({ ...gameOfChallenge, ...createFullChallengeResponses(challengeOf({ type: 'StaticAttachment' })) })
  const { unmount } = await open()
  await user.click(await screen.findByRole('textbox', { name: 'Flags, one per line' }))
  await user.paste('flag{one}')
  unmount()
  await open()
  expect((await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Flags, one per line' })).value).toBe('flag{one}')
})

it('the flags section reports pasted lines that have a flag but no address, and sends nothing', async () => {
  const asked = simulateServer({
    ...gameOfChallenge,
    ...createFullChallengeResponses(challengeOf({ type: 'DynamicAttachment' })),
    'GET /api/game/3/participations': { body: [] },
  })
  await open()
  await user.click(await screen.findByRole('textbox', { name: 'One per line: flag, space, URL' }))
  await user.paste('flag{one} https://files.example/1\nflag{two}')
  expect(screen.getByText('Line 2: address missing')).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Add 2 flags' }).disabled).toBe(true)
  expect(asked.some(({ method }) => method !== 'GET')).toBe(false)
})

it('the flags section warns if there are fewer files than teams', async () => {
  const flags = [{ flag: 'flag{one}', file: null }]
  const team = { status: 'Accepted' }
  simulateServer({
    ...gameOfChallenge,
    ...createFullChallengeResponses(challengeOf({ type: 'DynamicAttachment', flags })),
    'GET /api/game/3/participations': { body: [team, team] },
  })
  await open()
  expect(await screen.findByText(/^Files: 1. Teams: 2./)).toBeTruthy()
  expect(screen.getByText('Too few files')).toBeTruthy()
})

it('the flags section warns that deleting the last flag also disables the challenge', async () => {
  const flags = [{ flag: 'flag{one}', file: null }]
  const asked = simulateServer({
    ...gameOfChallenge,
    ...createFullChallengeResponses(challengeOf({ type: 'StaticAttachment', flags, enabled: true })),
    ...savesFullChallenge,
  })
  await open()
  await user.click(await screen.findByRole('button', { name: 'Delete flag' }))
  expect(await screen.findByText('These are the last flags, so the challenge will be disabled.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Delete flag' }))
  await waitFor(() => expect(asked.some(({ method }) => method === 'PUT')).toBe(true))
  expect(asked.find(({ method }) => method === 'PUT')?.body).toMatchObject({ challenge: { enabled: false, flags: [] } })
})

it('the flags section replaces a flag in one request', async () => {
  const flags = [{ flag: 'flag{one}', file: null }]
  const asked = simulateServer({
    ...gameOfChallenge,
    ...createFullChallengeResponses(challengeOf({ type: 'StaticAttachment', flags })),
    ...savesFullChallenge,
  })
  await open()
  await user.click(await screen.findByRole('button', { name: 'Edit flag' }))
  const field = screen.getByRole('textbox', { name: 'Flag' })
  expect(document.activeElement).toBe(field)
  await user.type(field, '{Backspace}s}{Enter}')
  await waitFor(() => expect(asked.some(({ method }) => method === 'PUT')).toBe(true))
  const changes = asked.filter(({ method }) => method !== 'GET')
  expect(changes.map(({ body }) => body)).toMatchObject([{ challenge: { flags: [{ flag: 'flag{ones}', file: null }] } }])
})

it('the flags section sets points for a flag, and explains that teams must find all flags', async () => {
  const flags = [{ ...aFlag('flag{one}'), points: 30 }, aFlag('flag{two}')]
  const asked = simulateServer({
    ...gameOfChallenge,
    ...createFullChallengeResponses(challengeOf({ type: 'StaticAttachment', flags })),
    ...savesFullChallenge,
  })
  await open()
  expect(await screen.findByText(/^Teams must find all 2 flags\./)).toBeTruthy()
  const [, edit] = await screen.findAllByRole('button', { name: 'Edit flag' })
  await user.click(edit as HTMLElement)
  const points = screen.getByRole('spinbutton', { name: 'Points' })
  await user.type(points, '1.5')
  expect(screen.getByText('A whole number, or empty')).toBeTruthy()
  await user.clear(points)
  await user.type(points, '70{Enter}')
  await waitFor(() => expect(asked.some(({ method }) => method === 'PUT')).toBe(true))
  expect(asked.find(({ method }) => method === 'PUT')?.body).toMatchObject({
    challenge: {
      flags: [
        { flag: 'flag{one}', points: 30 },
        { flag: 'flag{two}', points: 70 },
      ],
    },
  })
})

function forecastOf(changed: object = {}) {
  return {
    ...{ total: 9, changed: 0, newlyCorrect: 0, newlyIncorrect: 0, gaining: 0, losing: 0, moving: 0, accepted: 0, last: null },
    ...changed,
  }
}
const effect = { changed: 8, newlyCorrect: 3, newlyIncorrect: 5, gaining: 2, losing: 4 }

/** Simulates a server with one flag. A rejudge changes results only after a second flag was added. */
function servingRejudge() {
  let challenge = challengeOf({ flags: [aFlag('flag{one}')] })
  let last: object | null = null
  return simulateServer({
    ...gameOfChallenge,
    [`GET ${address}/whole`]: () => ({ body: createFullTestChallenge(challenge) }),
    [`PUT ${address}/whole`]: ({ body }) => {
      challenge = { ...challenge, ...((body as FullChallengeWrite).challenge as Challenge) }
      return { body: createFullTestChallenge(challenge) }
    },
    [`GET ${address}/rejudge`]: () => ({
      body: last ? forecastOf({ last }) : forecastOf(challenge.flags.length > 1 ? effect : {}),
    }),
    [`PUT ${address}/recalculatesubmissions`]: () => {
      last = { ...forecastOf(effect), time: '2026-11-21T08:00:00Z', canUndo: true }
      return { body: { total: 9, changed: 8, accepted: 2 } }
    },
    [`POST ${address}/rejudge/undo`]: () => {
      last = null
      return { body: { changed: 8, accepted: 4 } }
    },
    'POST /api/edit/games/3/notices': { body: {} },
  })
}

async function addSecondFlag() {
  await user.type(await screen.findByRole('textbox', { name: 'Flags, one per line' }), 'flag{{two}')
  await user.click(screen.getByRole('button', { name: 'Add 1 flag' }))
}

async function counts() {
  const title = await screen.findByText(/would be judged differently|Rejudged:/)
  const panel = title.closest<HTMLElement>('[data-tone]')
  return [...(panel?.querySelectorAll('dd') ?? [])].map(({ textContent }) => textContent)
}

it('the flags section shows the forecast of a rejudge after flags changed, and does not rejudge yet', async () => {
  const asked = servingRejudge()
  await open()
  await addSecondFlag()
  await screen.findByText('8 stored answers would be judged differently')
  expect(await counts()).toEqual(['2 gain the solve', '4 lose the solve', '3 become correct', '5 become wrong'])
  await user.click(screen.getByRole('button', { name: 'Not now' }))
  expect(screen.queryByText('8 stored answers would be judged differently')).toBeNull()
  expect(asked.some(({ address: at }) => at.endsWith('/recalculatesubmissions'))).toBe(false)
})

it('the flags section shows the forecast again after a reload', async () => {
  servingRejudge()
  const { unmount } = await open()
  await addSecondFlag()
  await screen.findByText('8 stored answers would be judged differently')
  unmount()
  await open()
  expect(await screen.findByText('8 stored answers would be judged differently')).toBeTruthy()
})

it('the editor asks for no forecast until the flags section is shown', async () => {
  const asked = servingRejudge()
  await renderInApp(<Route />, {
    at: '/admin/games/3/challenges/7?section=score',
    pattern: '/admin/games/:id/challenges/:chalId',
    areas: ['admin-challenges', 'admin-container', 'editing'],
  })
  const sections = await screen.findAllByRole('link', { name: /^Flags/ })
  expect(asked.some(({ address: at }) => at.endsWith('/rejudge'))).toBe(false)
  await user.click(sections[0] as HTMLElement)
  await waitFor(() => expect(asked.filter(({ address: at }) => at.endsWith('/rejudge'))).toHaveLength(1))
})

it('the flags section undoes a rejudge, and offers to notify players', async () => {
  const asked = servingRejudge()
  await open()
  await addSecondFlag()
  await user.click(await screen.findByRole('button', { name: 'Rejudge' }))
  await screen.findByText('Rejudged: 8 answers changed')
  await user.click(screen.getByRole('button', { name: 'Notify players' }))
  const notice = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Text of the notice' })
  expect(notice.value).toContain('“Papers”')
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Notify players' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(asked.find(({ address: at }) => at.endsWith('/notices'))?.body).toEqual({ content: notice.value })
  await user.click(screen.getByRole('button', { name: 'Undo rejudge' }))
  await screen.findByText('Rejudge undone')
  expect(asked.some(({ address: at }) => at.endsWith('/rejudge/undo'))).toBe(true)
})

it('the section Maintenance shows the forecast before a rejudge, even if no result would change', async () => {
  const asked = servingRejudge()
  await renderInApp(<Route />, {
    at: '/admin/games/3/challenges/7?section=upkeep',
    pattern: '/admin/games/:id/challenges/:chalId',
    areas: ['admin-challenges', 'admin-container', 'editing'],
  })
  await user.click(await screen.findByRole('button', { name: 'Rejudge submissions' }))
  await screen.findByText('Rejudging changes nothing')
  expect(asked.some(({ method }) => method === 'PUT')).toBe(false)
})

it('the flags section replaces an uploaded file by a link only after confirmation', async () => {
  const attachment = { hash: 'a'.repeat(64), name: 'papers.zip' }
  const asked = simulateServer({
    ...gameOfChallenge,
    ...createFullChallengeResponses(challengeOf({ type: 'StaticAttachment', attachment })),
    ...savesFullChallenge,
  })
  await renderInApp(<Route />, {
    at: '/admin/games/3/challenges/7?section=files',
    pattern: '/admin/games/:id/challenges/:chalId',
    areas: ['admin-challenges', 'admin-container', 'editing'],
  })
  await user.click(await screen.findByRole('radio', { name: 'External link' }))
  await user.type(screen.getByRole('textbox', { name: 'Address' }), 'https://files.example/p{Enter}')
  const question = await screen.findByRole('alertdialog', { name: 'Replace the uploaded file with this link?' })
  expect(asked.some(({ method }) => method === 'PUT')).toBe(false)
  await user.click(within(question).getByRole('button', { name: 'Use this address' }))
  await waitFor(() => expect(asked.some(({ method }) => method === 'PUT')).toBe(true))
  expect(asked.find(({ method }) => method === 'PUT')?.body).toMatchObject({
    challenge: { attachment: { url: 'https://files.example/p' } },
  })
})
