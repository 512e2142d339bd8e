import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { submitFlag } from '../../stores/flag-submissions.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { AttemptList } from './attempts.tsx'

const user = userEvent.setup()
const address = 'GET /api/game/3/challenges/7/attempts'
function answerOf(id: number, values = {}) {
  return {
    id,
    answer: `guess ${id}`,
    status: 'WrongAnswer',
    time: Date.UTC(2026, 0, 1),
    user: 'mira',
    isOwn: false,
    ...values,
  }
}

async function showList(body: readonly unknown[] | undefined) {
  const asked = simulateServer(body ? { [address]: { body } } : {})
  await renderInApp(<AttemptList gameId={3} challengeId={7} />, { areas: ['challenges'] })
  return asked
}

function open() {
  return user.click(screen.getByText('Your team’s attempts'))
}

it('the list reads the attempts when it opens, and shows which player sent each flag', async () => {
  const asked = await showList([answerOf(9, { isOwn: true, status: 'Accepted' }), answerOf(8)])
  expect(asked).toEqual([])
  await open()
  const items = await screen.findAllByRole('listitem')
  expect(items.map((item) => within(item).getByText(/^guess/).textContent)).toEqual(['guess 9', 'guess 8'])
  expect(items.map((item) => item.textContent)).toEqual([expect.stringContaining('you'), expect.stringContaining('mira')])
  expect(items.map((item) => within(item).getByRole('img').getAttribute('aria-label'))).toEqual(['Correct', 'Incorrect'])
  expect(screen.queryByText(/^Only the newest/)).toBeNull()
})

it('the list adds a flag that the player submits while the list is open', async () => {
  let isSubmitted = false
  simulateServer({
    [address]: () => ({ body: isSubmitted ? [answerOf(9), answerOf(8)] : [answerOf(8)] }),
    'POST /api/game/3/challenges/7/verdict': () => {
      isSubmitted = true
      return { body: { id: 4711, status: 'WrongAnswer', solve: null } }
    },
  })
  await renderInApp(<AttemptList gameId={3} challengeId={7} />, { areas: ['challenges'] })
  await open()
  expect(await screen.findByText('guess 8')).toBeTruthy()
  expect(screen.queryByText('guess 9')).toBeNull()
  const game = { gameId: 3, gameEndsAt: Number.POSITIVE_INFINITY }
  const challenge = { challengeId: 7, challengeTitle: 'Chandlery', isScored: true, board: undefined }
  submitFlag({ userId: '', ...game, ...challenge }, 'guess 9')
  expect(await screen.findByText('guess 9')).toBeTruthy()
})

it('the list reports that there are no attempts', async () => {
  await showList([])
  await open()
  expect(await screen.findByText('Your team has not submitted any flags.')).toBeTruthy()
})

it("the list warns that older flags are missing if the list reaches the server's limit", async () => {
  await showList(Array.from({ length: 50 }, (_, index) => answerOf(50 - index)))
  await open()
  expect(await screen.findByText('Only the newest 50 are listed.')).toBeTruthy()
})

it('the list shows an error if it cannot read the attempts', async () => {
  await showList(undefined)
  await open()
  expect((await screen.findByRole('alert')).textContent).toContain('There is nothing at this address')
})
