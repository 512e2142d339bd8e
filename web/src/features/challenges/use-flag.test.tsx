import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef } from 'react'
import { describe, expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { answering } from '../../testing/server.ts'
import { useFlagDrafts } from './flag-drafts.ts'
import { FlagForm } from './flag-form.tsx'
import { useFlag } from './use-flag.ts'

const user = userEvent.setup()

const boardWith = (rank: number, solved: readonly number[]): PlayerBoard => ({
  challenges: {},
  challengeCount: 1,
  rank: {
    id: 1,
    name: 'Salty Dogs',
    bio: null,
    organization: null,
    avatar: null,
    score: 0,
    rank,
    organizationRank: null,
    lastSubmissionTime: '2026-01-01T00:00:00Z',
    solvedChallenges: solved.map((id) => ({
      id,
      score: 420,
      type: 'SecondBlood',
      userName: 'mira',
      time: '2026-01-01T00:00:00Z',
    })),
    solvedCount: solved.length,
  },
  teamToken: 'token',
  writeupRequired: false,
  writeupDeadline: '2026-01-01T00:00:00Z',
})

function Harness({ board = boardWith(9, []), isScored = true }: { board?: PlayerBoard; isScored?: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  const value = useFlagDrafts((state) => state.drafts[7] ?? '')
  const { answer, submit } = useFlag({ gameId: 3, challengeId: 7, board, isScored })
  return (
    <FlagForm
      value={value}
      onValueChange={(text) => useFlagDrafts.getState().write(7, text)}
      answer={answer}
      isOver={!isScored}
      input={input}
      onSubmit={(text) => void submit(text)}
    />
  )
}

const submitFlag = async (flag: string) => {
  const field = screen.getByRole('textbox', { name: /^Flag/ })
  await user.clear(field)
  await user.type(field, `${flag}{Enter}`)
}
const sent = { 'POST /api/game/3/challenges/7': { body: 4711 } }
const status = 'GET /api/game/3/challenges/7/status/4711'

describe('submitting a flag', () => {
  it('asks until it is judged, then until it is counted', async () => {
    let isJudged = false
    const asked = answering({
      ...sent,
      [status]: () => ({ body: isJudged ? 'Accepted' : 'FlagSubmitted' }),
      'GET /api/game/3/details': { body: boardWith(5, [7]) },
    })
    await show(<Harness />, { areas: ['challenges'] })
    await submitFlag(' flag ')
    expect(await screen.findByText('Checking…')).toBeTruthy()
    await waitFor(() => expect(asked.some(({ address }) => address.endsWith('/status/4711'))).toBe(true))
    isJudged = true
    expect(await screen.findByText('+420 points')).toBeTruthy()
    expect(screen.getByText('Rank 9 → 5')).toBeTruthy()
    expect(screen.getByText('Second blood')).toBeTruthy()
    expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({ flag: 'flag' })
    expect(asked.filter(({ address }) => address.endsWith('/status/4711')).length).toBeGreaterThan(1)
  })

  it('stops speaking of points that cannot be read', async () => {
    answering({
      ...sent,
      [status]: { body: 'Accepted' },
      'GET /api/game/3/details': { status: 500, body: { title: 'Unknown error', status: 500 } },
    })
    await show(<Harness />, { areas: ['challenges'] })
    await submitFlag('right')
    await screen.findByText('Correct')
    await waitFor(() => expect(screen.queryByText('Updating your score…')).toBeNull())
    expect(screen.getByText('Correct')).toBeTruthy()
  })

  it('keeps a wrong flag in its field', async () => {
    answering({ ...sent, [status]: { body: 'WrongAnswer' } })
    await show(<Harness />, { areas: ['challenges'] })
    await submitFlag('nearly')
    expect(await screen.findByText('Incorrect flag')).toBeTruthy()
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^Flag/ }).value).toBe('nearly')
  })

  it('never tells of a cheat', async () => {
    answering({ ...sent, [status]: { body: 'CheatDetected' } })
    await show(<Harness />, { areas: ['challenges'] })
    await submitFlag('borrowed')
    expect(await screen.findByText('Incorrect flag')).toBeTruthy()
  })

  it('names the submission that nobody knows', async () => {
    answering({ ...sent, [status]: { body: 'NotFound' } })
    await show(<Harness />, { areas: ['challenges'] })
    await submitFlag('lost')
    expect(await screen.findByText(/Contact an admin with submission 4711/)).toBeTruthy()
  })

  it('asks for no points after the end, and none a second time', async () => {
    const asked = answering({ ...sent, [status]: { body: 'Accepted' } })
    const { unmount } = await show(<Harness isScored={false} />, { areas: ['challenges'] })
    await submitFlag('right')
    expect(await screen.findByText('Correct')).toBeTruthy()
    unmount()
    await show(<Harness board={boardWith(5, [7])} />, { areas: ['challenges'] })
    await submitFlag('right')
    expect(await screen.findByText('Correct. Your team had already solved this one.')).toBeTruthy()
    expect(asked.some(({ address }) => address.endsWith('/details'))).toBe(false)
  })

  it('sends nothing that is empty', async () => {
    const asked = answering(sent)
    await show(<Harness />, { areas: ['challenges'] })
    await submitFlag('   ')
    expect(await screen.findByText("Content can't be empty")).toBeTruthy()
    expect(asked.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('repeats the refusal of the server', async () => {
    answering({
      'POST /api/game/3/challenges/7': {
        status: 400,
        body: { title: 'The game has ended', status: 10_002, code: 'game.ended' },
      },
    })
    await show(<Harness />, { areas: ['challenges'] })
    await submitFlag('late')
    expect(await screen.findByText('The game has ended')).toBeTruthy()
  })
})
