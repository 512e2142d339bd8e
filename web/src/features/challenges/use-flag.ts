import { operations } from '@capstan/contract/operations'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import type { AnswerResult } from '@capstan/contract/submissions'
import { useEffect, useRef, useState } from 'react'
import { boardAddress } from '../../lib/game.ts'
import { ApiError, call, TransportError } from '../../lib/http.ts'
import { refresh, refreshUnder, setCallData } from '../../lib/server-state.ts'
import { type FlagAnswer, type Gain, gainOf, refuseFlag } from './flag-answer.ts'

interface FlagQuestion {
  readonly gameId: number
  readonly challengeId: number
  /** The player's board before the answer. */
  readonly board: PlayerBoard | undefined
  /** Only what is sent before the end counts. */
  readonly isScored: boolean
}

/** Pause between two reads of a submission that is not judged yet. */
const pollMs = 500
/** Points come with the next scoreboard, which is built within a second or two. */
const countingLooks = 12

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new TransportError('aborted', 'Request aborted'))
    })
  })

/** Submits flags of one challenge and follows each until it is judged and counted. */
export function useFlag(question: FlagQuestion) {
  const [answer, setAnswer] = useState<FlagAnswer>({ kind: 'none' })
  const latest = useRef(question)
  latest.current = question
  const life = useRef<AbortController>(null)
  useEffect(() => {
    const controller = new AbortController()
    life.current = controller
    return () => controller.abort()
  }, [])

  const submit = async (text: string): Promise<void> => {
    const { gameId, challengeId, board, isScored } = latest.current
    const signal = life.current?.signal
    if (!signal || answer.kind === 'sending') return
    const why = refuseFlag(text)
    if (why) return setAnswer({ kind: 'invalid', why })
    setAnswer({ kind: 'sending' })
    const known = board?.rank ?? null
    try {
      const address = { params: { id: gameId, cid: challengeId } }
      const submissionId = await call(operations.submitFlag, { ...address, body: { flag: text.trim() }, signal })
      const status = await judged({ gameId, challengeId, submissionId, signal })
      if (status !== 'Accepted') return setAnswer(wordFor(status, submissionId))
      if (known?.solvedChallenges.some(({ id }) => id === challengeId)) return setAnswer({ kind: 'right', gain: 'again' })
      if (!isScored) return setAnswer({ kind: 'right', gain: 'unscored' })
      setAnswer({ kind: 'right', gain: undefined })
      const gain = await counted(latest.current, known, signal)
      setAnswer({ kind: 'right', gain: gain ?? 'unseen' })
    } catch (error) {
      if (signal.aborted) return
      // The reads of the page say what has changed: the game ended, the team was suspended, or the session ended.
      if (error instanceof ApiError && error.httpStatus !== 429) void refreshUnder(`/api/game/${gameId}`)
      if (error instanceof ApiError && error.httpStatus === 401) void refresh(operations.getOwnProfile)
      setAnswer((shown) => (shown.kind === 'right' ? { kind: 'right', gain: 'unseen' } : { kind: 'refused', error }))
    }
  }

  return { answer, submit, forget: () => setAnswer((shown) => (shown.kind === 'sending' ? shown : { kind: 'none' })) }
}

const wordFor = (status: AnswerResult, submissionId: number): FlagAnswer => {
  if (status === 'NotFound') return { kind: 'unknown', submissionId }
  return { kind: status === 'Expired' ? 'expired' : 'wrong' }
}

interface Judging {
  readonly gameId: number
  readonly challengeId: number
  readonly submissionId: number
  readonly signal: AbortSignal
}

/** Asks until the submission is judged; a lost connection only delays it. */
async function judged({ gameId, challengeId, submissionId, signal }: Judging): Promise<AnswerResult> {
  const params = { id: gameId, cid: challengeId, sid: submissionId }
  for (;;) {
    try {
      const status = await call(operations.getSubmissionStatus, { params, signal })
      if (status !== 'FlagSubmitted') return status
    } catch (error) {
      const passes = error instanceof TransportError || (error instanceof ApiError && error.httpStatus >= 500)
      if (signal.aborted || !passes) throw error
    }
    await pause(pollMs, signal)
  }
}

/** Reads the board until the solve is on it; everybody who shows it gets it too. */
async function counted(
  { gameId, challengeId }: FlagQuestion,
  before: PlayerBoard['rank'],
  signal: AbortSignal,
): Promise<Gain | undefined> {
  for (let look = 0; look < countingLooks; look += 1) {
    const board = await call(operations.getPlayerBoard, { params: { id: gameId }, signal })
    const gain = gainOf(before, board.rank, challengeId)
    if (gain || look === countingLooks - 1) {
      await setCallData([operations.getPlayerBoard, { params: { id: gameId } }], board)
      void refreshUnder(boardAddress(gameId))
      return gain
    }
    await pause(pollMs, signal)
  }
  return undefined
}
