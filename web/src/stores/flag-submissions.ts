import { operations, ownOperations } from '@capstan/contract/operations'
import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import type { FlagVerdict } from '@capstan/contract/submissions'
import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'
import { addSolveToBoard, type FlagAnswer, findFlagFault, isFinalResult } from '../lib/flag-answer.ts'
import {
  type FlagResult,
  type FlagSubmission,
  pendingFlagsKey,
  publishFlagResult,
  registerFlagResultDialog,
} from '../lib/flag-results.ts'
import { onLogOut } from '../lib/forget.ts'
import { addressOfBoard } from '../lib/game.ts'
import { ApiError, addressOfCall, call, isResponseLost } from '../lib/http.ts'
import { retryIfResponseLost } from '../lib/repeat.ts'
import { refreshCall, refreshCallsWithPrefix, scheduleRefreshOfCallsWithPrefix, setCallData } from '../lib/server-state.ts'
import { createUuid } from '../lib/uuid.ts'
import { useFlagDrafts } from './flag-drafts.ts'

type FlagSubmissions = Readonly<{
  results: Readonly<Record<number, FlagResult>>
  /** Submissions without a final result. The page sends them again after a reload. */
  pending: readonly FlagSubmission[]
  change: (next: Partial<Pick<FlagSubmissions, 'results' | 'pending'>>) => void
}>

/** Pauses before the retries of a submission, in ms. Together they last about half a minute. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]
/** Maximum time for which a retry waits until the browser is online, in ms. */
const offlineMs = 120_000

/** Controller that is aborted when the user logs out. Responses that arrive later are dropped. */
let user = new AbortController()

/**
 * Store of submissions and their results. It is separate from the dialog of a challenge, so that only a logout stops a
 * submission. After a reload, the page sends pending submissions again with the same key, and the server counts each key once.
 */
export const useFlagSubmissions = create<FlagSubmissions>()(
  persist(
    (set) => ({
      results: {},
      pending: [],
      change: set,
    }),
    {
      name: pendingFlagsKey,
      storage: createJSONStorage(() => sessionStorage),
      partialize: ({ pending }) => ({ pending }),
    },
  ),
)

onLogOut(() => {
  user.abort()
  user = new AbortController()
  useFlagSubmissions.setState({ results: {}, pending: [] })
})

/** Drops the final result for a challenge, for example after the user has changed the text of the flag. */
export function dropFinalFlagResult(challengeId: number): void {
  const { results, change } = useFlagSubmissions.getState()
  const { [challengeId]: known, ...others } = results
  if (known && isFinalResult(known.answer)) change({ results: others })
}

/** Stores the result of a submission. If it is final, notifies the listeners. */
function settle(submission: FlagSubmission, answer: FlagAnswer): void {
  const { results, pending, change } = useFlagSubmissions.getState()
  const result = { submission, answer }
  change({
    results: { ...results, [submission.challengeId]: result },
    pending: isFinalResult(answer) ? pending.filter(({ key }) => key !== submission.key) : pending,
  })
  const { drafts, write } = useFlagDrafts.getState()
  if (answer.kind === 'right' && drafts[submission.challengeId]?.trim() === submission.flag) write(submission.challengeId, '')
  if (isFinalResult(answer)) publishFlagResult(result)
}

type FlagQuestion = Pick<FlagSubmission, 'gameId' | 'challengeId' | 'challengeTitle' | 'isScored'> &
  Readonly<{
    /** Challenge board that the player sees before the submission. */
    board: PlayerBoard | undefined
  }>

/** Submits a flag, unless another submission for the challenge is pending. */
export function submitFlag({ board, ...challenge }: FlagQuestion, text: string): void {
  const { results, pending, change } = useFlagSubmissions.getState()
  const { challengeId } = challenge
  const before = results[challengeId]
  if (before && !isFinalResult(before.answer)) return
  const flag = text.trim()
  const submission: FlagSubmission = {
    ...challenge,
    // Reuse the key of an attempt whose response was lost, because the server may have counted the attempt.
    key: before && isUnanswered(before) && before.submission.flag === flag ? before.submission.key : createUuid(),
    flag,
    rankBefore: board?.rank?.rank ?? 0,
  }
  const why = findFlagFault(text)
  if (why) change({ results: { ...results, [challengeId]: { submission, answer: { kind: 'invalid', why } } } })
  else {
    change({ pending: [...pending, submission] })
    void follow(submission)
  }
}

function isUnanswered({ answer }: FlagResult) {
  return answer.kind === 'refused' && !(answer.error instanceof ApiError && answer.error.httpStatus < 500)
}

/**
 * Registers that the page itself shows the results for a challenge, so that no toast is needed.
 * @returns a function that removes the registration
 */
export function registerResultView(challengeId: number): () => void {
  const end = registerFlagResultDialog(challengeId)
  return () => {
    end()
    dropFinalFlagResult(challengeId)
  }
}

/** Continues to send the submissions that were pending when the user left the page. */
export function resumeSubmissions(): void {
  for (const submission of useFlagSubmissions.getState().pending) void follow(submission)
}

/** Sends a submission, and retries until the server has judged it. */
async function follow(submission: FlagSubmission): Promise<void> {
  const { signal } = user
  const tell = (answer: FlagAnswer) => {
    if (!signal.aborted) settle(submission, answer)
  }
  tell({ kind: 'sending', isRepeated: false })
  try {
    const verdict = await retryIfResponseLost(() => send(submission), {
      isResponseLost,
      pausesMs,
      offlineMs,
      signal,
      onRepeat: () => tell({ kind: 'sending', isRepeated: true }),
    })
    if (signal.aborted) return
    if (verdict.solve) showSolve(submission, verdict.solve)
    else if (verdict.found?.isNew) refreshBoards(submission)
    refreshAttempts(submission)
    tell(answerOf(submission, verdict))
  } catch (error) {
    if (signal.aborted) return
    // Refresh the data of the page, which then shows the reason for the refusal: the game ended, the team was suspended, or the
    // session ended.
    if (error instanceof ApiError && error.httpStatus !== 429) void refreshCallsWithPrefix(`/api/game/${submission.gameId}`)
    if (error instanceof ApiError && error.httpStatus === 401) void refreshCall(operations.getOwnProfile)
    tell({ kind: 'refused', error })
  }
}

/** Sends a submission. The call is never aborted, even if the user leaves the page. */
function send({ key, gameId, challengeId, flag }: FlagSubmission): Promise<FlagVerdict> {
  return call(ownOperations.judgeFlag, {
    params: { id: gameId, cid: challengeId },
    body: { flag },
    headers: { 'Idempotency-Key': key },
    keepalive: true,
  })
}

function answerOf({ isScored, rankBefore }: FlagSubmission, { id, status, solve, found }: FlagVerdict): FlagAnswer {
  if (status === 'NotFound') return { kind: 'unknown', submissionId: id }
  if (status !== 'Accepted') return { kind: status === 'Expired' ? 'expired' : 'wrong' }
  if (solve) return { kind: 'right', gain: { solve, rankBefore } }
  if (found && isScored && found.found < found.total) return { kind: 'right', gain: { found } }
  return { kind: 'right', gain: isScored ? 'again' : 'unscored' }
}

/**
 * Adds a solve to the cached board of the player, so that the page shows it immediately. Rank and score of the team change only
 * with the next board from the server.
 */
function showSolve({ gameId: id }: FlagSubmission, solve: SolvedChallenge): void {
  const board = [operations.getPlayerBoard, { params: { id } }] as const
  void setCallData([...board], (known) => known && addSolveToBoard(known, solve))
  refreshBoards({ gameId: id })
}

/** Reads the boards of a game again after a short delay. */
function refreshBoards({ gameId: id }: Pick<FlagSubmission, 'gameId'>): void {
  scheduleRefreshOfCallsWithPrefix(addressOfCall(operations.getPlayerBoard, { params: { id } }))
  scheduleRefreshOfCallsWithPrefix(addressOfBoard(id))
}

/** Reads again the list of the team's attempts and the number of remaining attempts. */
function refreshAttempts({ gameId: id, challengeId: cid }: FlagSubmission): void {
  const params = { id, cid }
  void refreshCall(ownOperations.listAttempts, { params })
  void refreshCall(operations.getChallenge, { params })
  void refreshCall(ownOperations.listFlagProgress, { params: { id } })
}
