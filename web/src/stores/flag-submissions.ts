import { operations, ownOperations } from '@capstan/contract/operations'
import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import type { FlagVerdict } from '@capstan/contract/submissions'
import { create } from 'zustand'
import { serverNow } from '../lib/clock.ts'
import { addSolveToBoard, type FlagAnswer, findFlagFault, isFinalResult } from '../lib/flag-answer.ts'
import { type FlagResult, type FlagSubmission, publishFlagResult, registerFlagResultDialog } from '../lib/flag-results.ts'
import { onLogOut } from '../lib/forget.ts'
import { addressOfBoard } from '../lib/game.ts'
import { ApiError, addressOfCall, call, isResponseLost } from '../lib/http.ts'
import { i18n } from '../lib/i18n.ts'
import { dropPendingFlag, isFlagPending, listPendingFlags, storePendingFlag } from '../lib/pending-flags.ts'
import { retryIfResponseLost } from '../lib/repeat.ts'
import { refreshCall, refreshCallsWithPrefix, scheduleRefreshOfCallsWithPrefix, setCallData } from '../lib/server-state.ts'
import { createUuid } from '../lib/uuid.ts'
import { useFlagDrafts } from './flag-drafts.ts'

type FlagSubmissions = Readonly<{
  results: Readonly<Record<number, FlagResult>>
  change: (next: Pick<FlagSubmissions, 'results'>) => void
}>

/**
 * Returns the pauses before the retries of a submission, in ms. The sequence never ends, because only the server knows whether it
 * counted the flag.
 */
function* pausesMs(): Generator<number> {
  yield* [500, 1_000, 2_000, 4_000, 8_000]
  for (;;) yield 30_000
}
/** Maximum time for which a retry waits until the browser is online, in ms. */
const offlineMs = 120_000

/** Controller that is aborted when the user logs out. Responses that arrive later are dropped. */
let user = new AbortController()

/**
 * Store of the results of submissions. It is separate from the dialog of a challenge, so that only a logout stops a submission.
 * Local storage contains each submission until the server has judged it (`pending-flags.ts`). The page that opens next sends it
 * again with the same key, and the server counts each key once.
 */
export const useFlagSubmissions = create<FlagSubmissions>()((set) => ({ results: {}, change: set }))

onLogOut(() => {
  user.abort()
  user = new AbortController()
  useFlagSubmissions.setState({ results: {} })
})

// Ask before the user closes the tab, because the flag reaches the server only when the user opens the site again.
addEventListener('beforeunload', (event) => {
  const results = Object.values(useFlagSubmissions.getState().results)
  if (results.some(({ answer }) => answer.kind === 'sending' && answer.isRepeated)) event.preventDefault()
})

/** Drops the final result for a challenge, for example after the user has changed the text of the flag. */
export function dropFinalFlagResult(challengeId: number): void {
  const { results, change } = useFlagSubmissions.getState()
  const { [challengeId]: known, ...others } = results
  if (known && isFinalResult(known.answer)) change({ results: others })
}

/** Stores the result of a submission. If it is final, notifies the listeners. */
function settle(submission: FlagSubmission, answer: FlagAnswer): void {
  const { results, change } = useFlagSubmissions.getState()
  const result = { submission, answer }
  change({ results: { ...results, [submission.challengeId]: result } })
  const { drafts, write } = useFlagDrafts.getState()
  if (answer.kind === 'right' && drafts[submission.challengeId]?.trim() === submission.flag) write(submission.challengeId, '')
  if (isFinalResult(answer)) publishFlagResult(result)
}

type FlagQuestion = Pick<FlagSubmission, 'userId' | 'gameId' | 'challengeId' | 'challengeTitle' | 'isScored' | 'gameEndsAt'> &
  Readonly<{
    /** Challenge board that the player sees before the submission. */
    board: PlayerBoard | undefined
  }>

/** Submits a flag, unless another submission for the challenge is pending. */
export function submitFlag({ board, ...challenge }: FlagQuestion, text: string): void {
  const { results, change } = useFlagSubmissions.getState()
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
    storePendingFlag(submission)
    void follow(submission, { isFirst: true })
  }
}

/** True if the server may still judge the same submission, because it did not respond or requires a login first. */
function isUnanswered({ answer }: FlagResult) {
  if (answer.kind !== 'refused') return false
  return !(answer.error instanceof ApiError) || answer.error.httpStatus >= 500 || isLoggedOut(answer.error)
}

function isLoggedOut(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus === 401
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

/** Sends the submissions of the user that this browser stores, for example of a tab that was closed while it was offline. */
export function resumeSubmissions(userId: string): void {
  for (const submission of listPendingFlags(userId)) void follow(submission, { isFirst: false })
}

/** Keys of the submissions that this page sends. */
const followed = new Set<string>()

type FollowOptions = Readonly<{
  /** False for a submission that a page has sent before. */
  isFirst: boolean
}>

/**
 * Sends a submission until the server has judged it. Only one tab sends the submission. If this tab closes, another open tab
 * continues.
 */
async function follow(submission: FlagSubmission, { isFirst }: FollowOptions): Promise<void> {
  const { key } = submission
  if (followed.has(key)) return
  followed.add(key)
  const { signal } = user
  const tell = (answer: FlagAnswer) => {
    if (!signal.aborted) settle(submission, answer)
  }
  if (isFirst) tell({ kind: 'sending', isRepeated: false })
  const judgeUnlessSettled = async () => {
    // Another tab may have sent the submission while this tab waited for the lock.
    if (isFirst || isFlagPending(submission)) await judge(submission, { isFirst }, signal, tell)
  }
  try {
    // Without HTTPS there are no locks. Several tabs may then send the same key, and the server still counts it once.
    const { locks } = navigator as Partial<Navigator>
    await (locks ? locks.request(`flag ${key}`, { signal }, judgeUnlessSettled) : judgeUnlessSettled())
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    followed.delete(key)
  }
}

async function judge(
  submission: FlagSubmission,
  { isFirst }: FollowOptions,
  signal: AbortSignal,
  tell: (answer: FlagAnswer) => void,
): Promise<void> {
  let isRepeated = !isFirst
  if (isRepeated) tell({ kind: 'sending', isRepeated })
  try {
    const verdict = await retryIfResponseLost(
      async () => {
        if (isRepeated) await checkSender(submission)
        return send(submission)
      },
      {
        isResponseLost,
        pausesMs: pausesMs(),
        offlineMs,
        signal,
        onRepeat: () => {
          isRepeated = true
          tell({ kind: 'sending', isRepeated })
        },
      },
    )
    if (signal.aborted) return
    dropPendingFlag(submission)
    if (verdict.solve) showSolve(submission, verdict.solve)
    else if (verdict.found?.isNew) refreshBoards(submission)
    refreshAttempts(submission)
    tell(answerOf(submission, verdict))
  } catch (error) {
    if (signal.aborted) return
    // A flag that waited for the connection remains stored until the same user logs in again.
    if (!(isRepeated && isLoggedOut(error))) dropPendingFlag(submission)
    // Refresh the data of the page, which then shows the reason for the refusal: the game ended, the team was suspended, or the
    // session ended.
    if (error instanceof ApiError && error.httpStatus !== 429) void refreshCallsWithPrefix(`/api/game/${submission.gameId}`)
    if (isLoggedOut(error)) void refreshCall(operations.getOwnProfile)
    tell({ kind: 'refused', error })
  }
}

/**
 * Checks that the user of the session submitted the flag. Another user may have logged in with this browser since then.
 * @throws ApiError with status 401 if there is no session, or if it belongs to another user
 */
async function checkSender({ userId }: FlagSubmission): Promise<void> {
  const { profile } = await call(ownOperations.getOwnSession)
  if (profile?.userId !== userId)
    throw new ApiError({ title: i18n.t('error.flagWaits'), status: 401, httpStatus: 401, code: 'session.required' })
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

function answerOf(submission: FlagSubmission, { id, status, solve, found }: FlagVerdict): FlagAnswer {
  const { rankBefore, gameEndsAt } = submission
  // A flag that waited for the connection may reach the server after the end of the game.
  const isScored = submission.isScored && serverNow() <= gameEndsAt
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
