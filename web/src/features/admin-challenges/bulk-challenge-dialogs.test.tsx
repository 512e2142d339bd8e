import type { ChallengeBrief } from '@capstan/contract/challenges'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { aChallenge, createFullTestChallenge } from '../../testing/challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { type ReceivedCall, simulateServer } from '../../testing/server.ts'
import { EditChallengesDialog, EnableChallengesDialog, ScheduleChallengesDialog } from './bulk-challenge-dialogs.tsx'

const user = userEvent.setup()
const challenges = [
  { id: 2, title: 'Buoy', category: 'Web', isEnabled: false },
  { id: 3, title: 'Capstan', category: 'Misc', isEnabled: false },
] as ChallengeBrief[]
const areas = ['admin-challenges', 'challenges', 'editing'] as const
const address = 'POST /api/edit/games/7/challenges/change'
function changed(ids: readonly number[]) {
  return { body: ids.map((id) => ({ ...createFullTestChallenge(aChallenge({ enabled: true })), id })) }
}
function changes(asked: ReturnType<typeof simulateServer>) {
  return asked.filter(({ method }) => method === 'POST').map(({ body }) => body)
}
function idsOf({ body }: ReceivedCall) {
  return (body as { readonly challenges: number[] }).challenges
}

describe('changing several challenges', () => {
  it('the dialog enables several challenges, and shows a reason and a retry for each refused challenge', async () => {
    let hasFlag = false
    const asked = simulateServer({
      [address]: (received) =>
        hasFlag || idsOf(received)[0] === 2
          ? changed(idsOf(received))
          : { status: 400, body: { title: 'It has no flag', status: 400, code: 'challenge.no-flag' } },
    })
    let done: readonly ChallengeBrief[] = []
    await renderInApp(
      <EnableChallengesDialog gameId={7} challenges={challenges} isEnabled onClose={(which) => (done = which)} />,
      {
        areas,
      },
    )
    await user.click(await screen.findByRole('button', { name: 'Enable 2 challenges' }))
    await screen.findByText(/It has no flag/)
    hasFlag = true
    await user.click(screen.getByRole('button', { name: 'Enable 1 challenge' }))
    await waitFor(() => expect(done).toEqual(challenges))
    expect(changes(asked)).toHaveLength(3)
  })

  it('the dialog changes the category and tags of each challenge in one request', async () => {
    const asked = simulateServer({
      [address]: (received) => changed(idsOf(received)),
    })
    let isClosed = false
    await renderInApp(<EditChallengesDialog gameId={7} challenges={challenges} labels={[]} onClose={() => (isClosed = true)} />, {
      areas,
    })
    const submit = await screen.findByRole<HTMLButtonElement>('button', { name: 'Change 2 challenges' })
    expect(submit.disabled).toBe(true)
    await user.selectOptions(screen.getByRole('combobox', { name: 'Category' }), 'Web')
    await user.type(screen.getByRole('combobox', { name: 'Add tags' }), 'warm-up,')
    await user.click(submit)
    await waitFor(() => expect(isClosed).toBe(true))
    expect(changes(asked)).toEqual([
      { challenges: [2], change: { category: 'Web', addTags: ['warm-up'] } },
      { challenges: [3], change: { category: 'Web', addTags: ['warm-up'] } },
    ])
  })

  it('the dialog schedules all challenges with one request, shows an error once, and retries all challenges', async () => {
    let isUp = false
    const asked = simulateServer({
      [address]: (received) =>
        isUp ? changed(idsOf(received)) : { status: 500, body: { title: 'The server failed', status: 500 } },
    })
    let done: readonly ChallengeBrief[] = []
    await renderInApp(<ScheduleChallengesDialog gameId={7} challenges={challenges} onClose={(which) => (done = which)} />, {
      areas,
    })
    const submit = await screen.findByRole<HTMLButtonElement>('button', { name: 'Change 2 challenges' })
    expect(submit.disabled).toBe(true)
    await user.selectOptions(screen.getByRole('combobox', { name: 'Release' }), 'At once')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Deadline' }), 'Close at a set time')
    expect(submit.disabled).toBe(true)
    fireEvent.change(screen.getByLabelText('Time'), { target: { value: '2030-05-01T12:00' } })
    await user.click(submit)
    expect(await screen.findAllByText(/The server failed/)).toHaveLength(1)
    isUp = true
    await user.click(screen.getByRole('button', { name: 'Change 2 challenges' }))
    await waitFor(() => expect(done).toEqual(challenges))
    const deadline = new Date(2030, 4, 1, 12).getTime()
    const request = { challenges: [2, 3], change: { release: null, deadline } }
    expect(changes(asked)).toEqual([request, request])
  })
})
