import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import type { AnswerResult } from '@capstan/contract/submissions'
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { FlagResultNotifier } from '../components/layout/flag-results.tsx'
import { useToasts } from '../components/ui/toast.ts'
import { ToastRegion } from '../components/ui/toast-region.tsx'
import type { FlagAnswer } from '../lib/flag-answer.ts'
import { type FlagResult, onFlagResult } from '../lib/flag-results.ts'
import { clearUserData } from '../lib/forget.ts'
import { renderInApp } from '../testing/render.tsx'
import { simulateServer } from '../testing/server.ts'
import { useFlagDrafts } from './flag-drafts.ts'
import { registerResultView, resumeSubmissions, submitFlag, useFlagSubmissions } from './flag-submissions.ts'

const time = '2026-01-01T00:00:00Z'
function boardWith(rank: number): PlayerBoard {
  return {
    challenges: {},
    challengeCount: 2,
    rank: {
      id: 1,
      name: 'Salty Dogs',
      bio: null,
      organization: null,
      avatar: null,
      score: 0,
      rank,
      organizationRank: null,
      lastSubmissionTime: time,
      solvedChallenges: [],
      solvedCount: 0,
    },
    teamToken: 'token',
    writeupRequired: false,
    writeupDeadline: time,
  }
}

const titles: Readonly<Record<number, string>> = { 7: 'Chandlery', 8: 'Keelhaul' }
function submit(flag: string, { id = 7, isScored = true, board = boardWith(9) } = {}) {
  return submitFlag({ gameId: 3, challengeId: id, challengeTitle: titles[id] ?? '', isScored, board }, flag)
}
function answerOf(id = 7) {
  return useFlagSubmissions.getState().results[id]?.answer
}
async function settled(id = 7) {
  await waitFor(() => expect(useFlagSubmissions.getState().pending.some(({ challengeId }) => challengeId === id)).toBe(false))
  return answerOf(id)
}
function post(id: number) {
  return `POST /api/game/3/challenges/${id}/verdict`
}
const solve: SolvedChallenge = { id: 7, score: 420, type: 'SecondBlood', userName: 'mira', time }
function verdictOf(status: AnswerResult, brought: SolvedChallenge | null = null) {
  return {
    body: { id: 4711, status, solve: brought },
  }
}
function rightWith(brought: SolvedChallenge | null) {
  return { [post(7)]: verdictOf('Accepted', brought) }
}

beforeEach(() => {
  clearUserData()
  useToasts.setState({ toasts: [] })
})

describe('the result of a submission', () => {
  it('the result of a correct flag contains the solve and the previous rank', async () => {
    const asked = simulateServer(rightWith(solve))
    useFlagDrafts.getState().write(7, ' flag ')
    submit(' flag ')
    expect(answerOf()).toEqual({ kind: 'sending', isRepeated: false })
    expect(await settled()).toEqual({ kind: 'right', gain: { solve, rankBefore: 9 } })
    expect(asked.map(({ method, body }) => ({ method, body }))).toEqual([{ method: 'POST', body: { flag: 'flag' } }])
    expect(useFlagDrafts.getState().drafts[7]).toBeUndefined()
  })

  it.each<[AnswerResult, FlagAnswer]>([
    ['WrongAnswer', { kind: 'wrong' }],
    ['Expired', { kind: 'expired' }],
    ['NotFound', { kind: 'unknown', submissionId: 4711 }],
  ])('shows a failure of status %s as %j and retains the draft', async (status, answer) => {
    simulateServer({ [post(7)]: verdictOf(status) })
    useFlagDrafts.getState().write(7, 'nearly')
    submit('nearly')
    expect(await settled()).toEqual(answer)
    expect(useFlagDrafts.getState().drafts[7]).toBe('nearly')
  })

  it('the result contains no points after the end of the game or for a second solve', async () => {
    simulateServer(rightWith(null))
    submit('right', { isScored: false })
    expect(await settled()).toEqual({ kind: 'right', gain: 'unscored' })
    submit('right')
    await waitFor(() => expect(answerOf()).toEqual({ kind: 'right', gain: 'again' }))
  })

  it('an empty flag is refused without a call', () => {
    const asked = simulateServer(rightWith(solve))
    submit('   ')
    expect(answerOf()).toEqual({ kind: 'invalid', why: 'empty' })
    expect(asked).toEqual([])
  })

  it('the result contains the error of the server', async () => {
    simulateServer({ [post(7)]: { status: 400, body: { title: 'The game has ended', status: 10_002, code: 'game.ended' } } })
    submit('late')
    expect(await settled()).toMatchObject({ kind: 'refused', error: { message: 'The game has ended', code: 'game.ended' } })
  })
})

describe('a submission whose response is lost', () => {
  /** Simulates a server that sends these responses in order. Returns the idempotency keys of the received submissions. */
  const sendingThrough = (answers: readonly (number | 'lost')[]) => {
    const keys: string[] = []
    globalThis.fetch = async (_input, init) => {
      keys.push(new Headers(init?.headers).get('Idempotency-Key') ?? '')
      expect(init?.keepalive).toBe(true)
      const answer = answers[keys.length - 1] ?? 200
      if (answer === 'lost') throw new TypeError('Failed to fetch')
      return new Response(JSON.stringify(answer === 200 ? verdictOf('WrongAnswer').body : {}), { status: answer })
    }
    return keys
  }

  it('a submission whose response is lost is sent again with the same key, and its result is marked as repeated', async () => {
    const keys = sendingThrough([503, 'lost'])
    submit('flag{storm}')
    await waitFor(() => expect(answerOf()).toEqual({ kind: 'sending', isRepeated: true }))
    expect(await settled()).toEqual({ kind: 'wrong' })
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('a submission is not sent again if the server responds with status 500', async () => {
    const keys = sendingThrough([500, 200])
    submit('flag{calm}')
    expect(await settled()).toMatchObject({ kind: 'refused' })
    expect(keys).toHaveLength(1)
  })

  it('each submission has a different key, even for the same flag', async () => {
    const keys = sendingThrough([])
    submit('flag{one}')
    await settled()
    submit('flag{one}')
    await waitFor(() => expect(keys).toHaveLength(2))
    expect(new Set(keys).size).toBe(2)
  })

  it('a submission whose response is lost is sent again with the same key after a reload', async () => {
    const keys = sendingThrough(['lost', 200])
    submit('flag{reload}')
    await waitFor(() => expect(keys).toHaveLength(1))
    const stored = JSON.parse(sessionStorage.getItem('draft:submissions') ?? '{}')
    expect(stored.state.pending).toMatchObject([{ key: keys[0], flag: 'flag{reload}', challengeId: 7 }])
    await settled()
    useFlagSubmissions.setState({ pending: stored.state.pending })
    resumeSubmissions()
    await waitFor(() => expect(keys).toHaveLength(3))
    expect(new Set(keys).size).toBe(1)
    await settled()
  })
})

describe('the toast with the result of a submission', () => {
  const showResults = () =>
    renderInApp(
      <>
        <FlagResultNotifier />
        <ToastRegion />
      </>,
    )

  it('the toast links to the challenge, and appears only once for each challenge', async () => {
    simulateServer({ ...rightWith(solve), [post(8)]: verdictOf('WrongAnswer') })
    await showResults()
    submit('right')
    submit('wrong', { id: 8 })
    expect(await screen.findByText('Chandlery: correct, +420')).toBeTruthy()
    expect(await screen.findByText('Keelhaul: incorrect flag')).toBeTruthy()
    expect(screen.getByText('Second blood')).toBeTruthy()
    expect(useToasts.getState().toasts).toHaveLength(2)
    expect(screen.getAllByRole('button', { name: 'Open' })).toHaveLength(2)
  })

  it('the toast is not shown while the dialog of the challenge is open', async () => {
    simulateServer({ [post(7)]: verdictOf('WrongAnswer') })
    await showResults()
    const results: FlagResult[] = []
    const stop = onFlagResult((result) => results.push(result))
    const close = registerResultView(7)
    submit('wrong')
    await settled()
    expect(results).toMatchObject([{ submission: { challengeId: 7, challengeTitle: 'Chandlery' }, answer: { kind: 'wrong' } }])
    expect(useToasts.getState().toasts).toEqual([])
    close()
    stop()
    expect(answerOf()).toBeUndefined()
  })

  it('the toast is not shown if the user logs out before the response arrives', async () => {
    const judging = Promise.withResolvers<void>()
    simulateServer({ [post(7)]: verdictOf('WrongAnswer') })
    const others = globalThis.fetch
    let isSent = false
    globalThis.fetch = async (input, init) => {
      const answer = await others(input, init)
      if (init?.method === 'POST') {
        isSent = true
        await judging.promise
      }
      return answer
    }
    const results: FlagResult[] = []
    const stop = onFlagResult((result) => results.push(result))
    submit('wrong')
    await waitFor(() => expect(isSent).toBe(true))
    clearUserData()
    judging.resolve()
    await new Promise((resolve) => setTimeout(resolve))
    expect(results).toEqual([])
    expect(useFlagSubmissions.getState()).toMatchObject({ results: {}, pending: [] })
    stop()
  })
})
