import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import type { AnswerResult } from '@capstan/contract/submissions'
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { FlagResultNotifier } from '../components/layout/flag-results.tsx'
import { useToasts } from '../components/ui/toast.ts'
import { ToastRegion } from '../components/ui/toast-region.tsx'
import type { FlagAnswer } from '../lib/flag-answer.ts'
import { type FlagResult, type FlagSubmission, onFlagResult } from '../lib/flag-results.ts'
import { clearUserData } from '../lib/forget.ts'
import { listPendingFlags, storePendingFlag } from '../lib/pending-flags.ts'
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
const userId = '00000000-0000-4000-8000-000000000001'
const otherUserId = '00000000-0000-4000-8000-000000000002'
const gameEndsAt = Date.parse('2999-01-01T00:00:00Z')
function submit(flag: string, { id = 7, isScored = true, board = boardWith(9) } = {}) {
  return submitFlag({ userId, gameId: 3, gameEndsAt, challengeId: id, challengeTitle: titles[id] ?? '', isScored, board }, flag)
}
function answerOf(id = 7) {
  return useFlagSubmissions.getState().results[id]?.answer
}
async function settled(id = 7) {
  await waitFor(() => {
    expect(listPendingFlags(userId).some(({ challengeId }) => challengeId === id)).toBe(false)
    expect(answerOf(id)?.kind).not.toBe('sending')
  })
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
  localStorage.clear()
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
      if (init?.method === 'GET') return new Response(JSON.stringify({ profile: { userId } }))
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
})

/** Submission of a tab that was closed before the server judged the flag. */
function stored(more: Partial<FlagSubmission> = {}): FlagSubmission {
  const submission = {
    ...{
      key: '7a0c6f0e-0000-4000-8000-000000000001',
      userId,
      gameId: 3,
      gameEndsAt,
      challengeId: 7,
      challengeTitle: 'Chandlery',
    },
    ...{ flag: 'flag{storm}', isScored: true, rankBefore: 9, ...more },
  }
  storePendingFlag(submission)
  return submission
}

const profile = { userId, userName: 'mira', role: 'User' }

function isPost({ method }: { readonly method: string }) {
  return method === 'POST'
}

async function showNotifier() {
  await renderInApp(
    <>
      <FlagResultNotifier />
      <ToastRegion />
    </>,
  )
}

describe('a submission that a closed tab has not completed', () => {
  it('local storage contains a submission until the server has judged it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    simulateServer({ [post(7)]: verdictOf('WrongAnswer') })
    const answering = globalThis.fetch
    globalThis.fetch = (...call) => promise.then(() => answering(...call))
    submit('flag{storm}')
    expect(listPendingFlags(userId)).toMatchObject([{ userId, challengeId: 7, flag: 'flag{storm}' }])
    expect(sessionStorage.length).toBe(0)
    resolve()
    await settled()
    expect(localStorage.length).toBe(0)
  })

  it('the next page sends the submission with the same key, and shows the result in a toast', async () => {
    const { key } = stored()
    const keys: unknown[] = []
    simulateServer({ ...rightWith(solve), 'GET /api/account/profile': { body: profile } })
    const answering = globalThis.fetch
    globalThis.fetch = (input, init) => {
      if (init?.method === 'POST') keys.push(new Headers(init.headers).get('Idempotency-Key'))
      return answering(input, init)
    }
    await showNotifier()
    expect(await screen.findByText('Chandlery: correct, +420')).toBeTruthy()
    expect(keys).toEqual([key])
    expect(listPendingFlags(userId)).toEqual([])
  })

  it('the page of another user neither sends nor drops the submission', async () => {
    stored()
    const own = stored({ key: '7a0c6f0e-0000-4000-8000-000000000002', userId: otherUserId, challengeId: 8 })
    const asked = simulateServer({
      [post(8)]: verdictOf('WrongAnswer'),
      'GET /api/account/profile': { body: { ...profile, userId: otherUserId } },
    })
    await showNotifier()
    await waitFor(() => expect(listPendingFlags(otherUserId)).toEqual([]))
    expect(asked.filter(isPost)).toEqual([
      { method: 'POST', address: '/api/game/3/challenges/8/verdict', body: { flag: own.flag } },
    ])
    expect(listPendingFlags(userId)).toHaveLength(1)
  })

  it('a submission is not sent if another user has logged in with this browser since the page was loaded', async () => {
    stored()
    const asked = simulateServer({ 'GET /api/account/profile': { body: { ...profile, userId: otherUserId } } })
    resumeSubmissions(userId)
    await waitFor(() => expect(answerOf()).toMatchObject({ kind: 'refused', error: { httpStatus: 401 } }))
    expect(asked.some(isPost)).toBe(false)
    expect(listPendingFlags(userId)).toHaveLength(1)
  })

  it('the logout drops only the submissions of the user', async () => {
    const retry = Promise.withResolvers<Response>()
    simulateServer({ 'GET /api/account/profile': { body: profile } })
    const answering = globalThis.fetch
    globalThis.fetch = (input, init) => (init?.method === 'POST' ? retry.promise : answering(input, init))
    stored()
    stored({ userId: otherUserId })
    await showNotifier()
    await waitFor(() => expect(answerOf()).toEqual({ kind: 'sending', isRepeated: true }))
    clearUserData()
    expect(listPendingFlags(userId)).toEqual([])
    expect(listPendingFlags(otherUserId)).toHaveLength(1)
    retry.resolve(new Response('{}'))
  })

  it('the toast says that the game has ended if the server refuses the flag for this reason', async () => {
    stored()
    const refusal = { title: 'The game has ended', status: 400, code: 'game.ended' }
    simulateServer({ [post(7)]: { status: 400, body: refusal }, 'GET /api/account/profile': { body: profile } })
    await showNotifier()
    expect(await screen.findByText('Chandlery: flag not accepted')).toBeTruthy()
    expect(screen.getByText('The game has ended')).toBeTruthy()
    expect(listPendingFlags(userId)).toEqual([])
  })

  it('the toast says that a correct flag brings no points if it arrives in the practice mode after the end', async () => {
    stored({ gameEndsAt: Date.parse('2026-01-01T00:00:00Z') })
    simulateServer({ ...rightWith(null), 'GET /api/account/profile': { body: profile } })
    await showNotifier()
    expect(await screen.findByText('Chandlery: correct')).toBeTruthy()
    expect(screen.getByText('The game has ended, submissions will not be scored')).toBeTruthy()
  })
})

/**
 * Simulates another tab that has the lock until `release` is called.
 * @returns the names of the locks that this tab requests, and a function that waits until this tab has released its locks
 */
function otherTab() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const names: string[] = []
  const runs: Promise<void>[] = []
  const request = (name: string, _options: LockOptions, run: () => Promise<void>) => {
    names.push(name)
    const ended = promise.then(run)
    runs.push(ended)
    return ended
  }
  Object.defineProperty(navigator, 'locks', { value: { request }, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'locks'))
  return { names, release: resolve, ended: () => Promise.all(runs) }
}

describe('submissions in several tabs', () => {
  it('a tab does not send a submission that another tab has sent', async () => {
    const { key } = stored()
    const { names, release, ended } = otherTab()
    const asked = simulateServer({ ...rightWith(solve), 'GET /api/account/profile': { body: profile } })
    resumeSubmissions(userId)
    expect(names).toEqual([`flag ${key}`])
    localStorage.clear()
    release()
    await ended()
    expect(asked).toEqual([])
    expect(answerOf()).toBeUndefined()
  })

  it('a tab sends the submission of another tab after that tab was closed', async () => {
    stored()
    const { release } = otherTab()
    const asked = simulateServer({ ...rightWith(solve), 'GET /api/account/profile': { body: profile } })
    resumeSubmissions(userId)
    expect(asked).toEqual([])
    release()
    expect(await settled()).toMatchObject({ kind: 'right' })
    expect(asked.filter(isPost)).toHaveLength(1)
  })
})

describe('closing the tab while a flag is pending', () => {
  const isAsked = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))

  it('the browser asks for confirmation only after the response to a submission was lost', async () => {
    simulateServer({ [post(7)]: { status: 503, body: {} }, 'GET /api/account/profile': { body: profile } })
    submit('flag{storm}')
    expect(isAsked()).toBe(false)
    await waitFor(() => expect(answerOf()).toEqual({ kind: 'sending', isRepeated: true }))
    expect(isAsked()).toBe(true)
    simulateServer({ [post(7)]: verdictOf('WrongAnswer'), 'GET /api/account/profile': { body: profile } })
    await settled()
    expect(isAsked()).toBe(false)
  })
})

describe('the toast with the result of a submission', () => {
  it('the toast links to the challenge, and appears only once for each challenge', async () => {
    simulateServer({ ...rightWith(solve), [post(8)]: verdictOf('WrongAnswer') })
    await showNotifier()
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
    await showNotifier()
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
    const { release, ended } = otherTab()
    release()
    submit('wrong')
    await waitFor(() => expect(isSent).toBe(true))
    clearUserData()
    judging.resolve()
    await ended()
    expect(results).toEqual([])
    expect(useFlagSubmissions.getState()).toMatchObject({ results: {} })
    stop()
  })
})
