import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { hasContainer, hasSharedFlags } from '@capstan/contract/challenge-types'
import type { ChallengeType, ChallengeView } from '@capstan/contract/challenges'
import type { RealtimeMessage } from '@capstan/contract/events'
import type { Hint } from '@capstan/contract/hints'
import { Limits } from '@capstan/contract/limits'
import { canSubmissionScorePoints, isChallengeClosed } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import type { AnswerResult, FlagProgress, FlagVerdict, TeamAttempt } from '@capstan/contract/submissions'
import { batchQueries } from '@capstan/db/batched'
import { LRUCache } from 'lru-cache'
import { type AssignmentKey, ensureAssignment, keyOfAssignment } from '../../instances/assignments/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { presentInstanceEntry } from '../../instances/lifecycle/presenter.ts'
import { createKeyedQueue } from '../../instances/lifecycle/turns.ts'
import { type JudgedStatus, statusShownToPlayer } from '../../rules/flags/judge.ts'
import { findMatchingFlagId } from '../../rules/flags/parts.ts'
import { listRightAnswers } from '../../rules/flags/rules.ts'
import { divisionSeesChallenge, refuseCallWithoutDivisionRight } from '../../rules/scoring/division-rights.ts'
import { listStoredHints } from '../../rules/scoring/hints.ts'
import { createCache } from '../../server/changes/cache.ts'
import type { ChangeFeed } from '../../server/changes/feed.ts'
import { ReadyAnswer } from '../../server/http/ready-answer.ts'
import { type Recorder, recordSystemAction } from '../../server/logs/record.ts'
import { findFreezeInstant } from '../../server/players/frozen-since.ts'
import type { ChallengeLocks } from '../../server/players/locks.ts'
import { gameTimesOf, type Player, type PlayerService } from '../../server/players/service.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { standingOfOwnTeam } from '../scoreboard/own-standing.ts'
import type { ScoreboardService } from '../scoreboard/service.ts'
import { createAttemptProcessor, isAttemptRefusal, isIdempotencyKeyTaken, type Stored } from './attempt-processor.ts'
import { findHintOffer, storeHintPurchase } from './hint-purchase.ts'
import { createHintRepository } from './hint-repository.ts'
import { findSolveOnBoard, presentChallengeView, presentFrozenSolve, presentPlayerBoard, presentSolve } from './presenter.ts'
import {
  createPlayRepository,
  type KeyedSubmission,
  type MostSolvedKey,
  type OwnSubmission,
  type OwnSubmissionKey,
  type PlayedChallenge,
  type SolveRow,
} from './repository.ts'
import { type CountedAttempts, createSubmissionRepository, type JudgedAssignment } from './submission-repository.ts'

const maxPlayerBoardBytes = 32 * 1024 * 1024

/** Minimum time between two warnings that a challenge has no free file, in ms. */
const missingFileWarningMs = 3_600_000

/** Log text for each verdict. The title of the challenge follows it. */
const logWords: Readonly<Record<JudgedStatus, string>> = {
  Accepted: 'submitted the correct flag for',
  WrongAnswer: 'submitted a wrong flag for',
  CheatDetected: 'submitted the flag of another team for',
  NotFound: 'submitted a flag before opening',
}

type JudgedSubmission = Pick<KeyedSubmission, 'id' | 'number' | 'status'>

function cacheKeyOf({ gameId, challengeId, userId, number }: OwnSubmissionKey): string {
  return `${gameId} ${challengeId} ${userId} ${number}`
}

export type PlayServiceDeps = InstanceDeps &
  Readonly<{
    scoreboards: ScoreboardService
    locks: ChallengeLocks
    players: PlayerService
    changes: ChangeFeed
    /** Called after each judged submission, for metrics. */
    onJudged?: (status: AnswerResult) => void
  }>

/**
 * Calls of players: board, challenges and submissions.
 * Rules: docs/contract/games-and-joining.md#order-of-checks, docs/contract/challenges.md#flags-and-files,
 * docs/contract/flags-and-scoring.md.
 */
export function createPlayService(deps: PlayServiceDeps) {
  const { db, bus, clock, config, runtime, platformLog, scoreboards, locks, players, changes } = deps
  const plays = createPlayRepository(db)
  /** Counts only once for equal keys, because each count reads all solves of a game. */
  const countMostSolvedOfEach = async (keys: readonly MostSolvedKey[]): Promise<number[]> => {
    const counts = new Map<string, number>()
    const nameOf = ({ gameId, until }: MostSolvedKey) => `${gameId} ${until}`
    for (const key of keys) if (!counts.has(nameOf(key))) counts.set(nameOf(key), await plays.countMostSolved(key))
    return keys.map((key) => counts.get(nameOf(key)) ?? 0)
  }
  const submissions = createSubmissionRepository(db)
  const hints = createHintRepository(db)
  const judgeAndStore = createAttemptProcessor(db)
  const inTurn = createKeyedQueue()
  const findAssignment = batchQueries(submissions.findAssignments, db)
  const countAttempts = batchQueries((keys: readonly CountedAttempts[]) => submissions.countAttempts(keys), db)
  const findRivals = batchQueries(submissions.findRivals, db)
  const findInstance = batchQueries(plays.findInstances, db)
  const findOwnSubmission = batchQueries(plays.findOwnSubmissions, db)
  const findSolve = batchQueries(plays.findSolves, db)
  const countSolves = batchQueries(plays.countSolves, db)
  const countMostSolved = batchQueries(countMostSolvedOfEach, db, { maxConcurrent: 1 })
  const challenges = createCache<number, PlayedChallenge>({
    feed: changes,
    maxEntries: 2_000,
    dependsOn: ({ challenge: { id, gameId }, attachment }) => [
      `challenge ${id}`,
      `game ${gameId}`,
      `attachment ${attachment?.id}`,
    ],
  })
  const assigned = createCache<string, JudgedAssignment>({
    feed: changes,
    maxEntries: 20_000,
    dependsOn: ({ challengeId, participationId }) => [`challenge ${challengeId}`, `participation ${participationId}`],
  })
  /**
   * Cached responses with the board of a player, by participation, so that the members of a team share a response. A response is
   * valid until the board or the values of the player change.
   */
  const playerBoards = new LRUCache<
    number,
    /** Tag that identifies the board. A reference instead of the tag would prevent the garbage collection of the board. */
    { readonly boardTag: string; readonly player: Player; readonly answer: ReadyAnswer }
  >({
    maxSize: maxPlayerBoardBytes,
    sizeCalculation: ({ answer }) => 2 * answer.size,
  })
  /** Times of the last warnings about missing files in ms since 1970, by challenge. */
  const missingFileAt = new LRUCache<number, number>({ max: 1_000 })
  /** Cache of recently judged submissions, because a player polls the status right after the submission. */
  const recentlyJudged = createCache<string, OwnSubmission>({
    feed: changes,
    maxEntries: 5_000,
    dependsOn: ({ challengeId, participationId }) => [`challenge ${challengeId}`, `participation ${participationId}`],
  })

  /** Pushes a stored attempt to subscribers: its events, its submission and, if any, its notice. */
  const announce = ({ attempt, record, noticeId }: Stored): void => {
    const { challenge, player, user, answer } = attempt
    const { team } = player
    const { gameId } = record
    const time = record.submittedAt.toISOString()
    const messages: RealtimeMessage[] = record.events.map(({ type, values }) => ({
      kind: 'event',
      gameId,
      payload: { time, user: user.userName, team: team.name, type, values: [...values] },
    }))
    const submission = { answer, status: record.status, time, user: user.userName, team: team.name, challenge: challenge.title }
    messages.push({ kind: 'submission', gameId, payload: submission })
    // Send no notice of a solve after the freeze. The time of the solve decides, not the current time, because a sent message
    // cannot be withdrawn.
    if (record.notice && noticeId !== null && !findFreezeInstant(player.game, record.submittedAt)) {
      const { type, values } = record.notice
      messages.push({ kind: 'notice', gameId, payload: { id: noticeId, time, type, values: [...values] } })
    }
    for (const message of messages) bus.publish(message)
  }

  const log = ({ attempt: { player, challenge }, verdict: { status, isLogged } }: Stored, record: Recorder): void =>
    record(`Team "${player.team.name}" ${logWords[status]} "${challenge.title}"`, {
      level: isLogged ? 'Warning' : 'Information',
      status: status === 'Accepted' ? 'Success' : status === 'NotFound' ? 'NotFound' : 'Failed',
    })

  /**
   * @throws Problem `challenge.unknown`, `challenge.locked`, `division.submit`. A challenge counts as unknown if it is disabled,
   * unreleased, hidden or of another game
   */
  const getPlayed = async (player: Player, challengeId: number, call: 'see' | 'submit'): Promise<PlayedChallenge> => {
    const { game, division } = player
    const found = await challenges.get(challengeId, () => plays.findChallenge(challengeId))
    if (found?.challenge.gameId !== game.id || !found.challenge.isShown) throw new Problem('challenge.unknown')
    if (!divisionSeesChallenge(division, challengeId)) throw new Problem('challenge.unknown')
    await locks.checkUnlocked(player, found.challenge)
    const refusal = refuseCallWithoutDivisionRight(division, challengeId, call)
    if (refusal) throw new Problem(refusal)
    return found
  }

  /**
   * Logs that a challenge has no free file for a team. Logs at most once an hour for each challenge, because players can repeat the
   * call.
   */
  const warnOfMissingFile = ({ id, title }: PlayedChallenge['challenge'], { team }: Player): void => {
    const nowMs = clock.now().getTime()
    if (nowMs - (missingFileAt.get(id) ?? -Infinity) < missingFileWarningMs) return
    missingFileAt.set(id, nowMs)
    const message = `No free file is left for team "${team.name}" in challenge "${title}"`
    recordSystemAction(platformLog, { level: 'Warning', message, status: 'NotFound' })
  }

  /** @throws Problem `request.invalid` if the key belongs to another submission */
  const checkRepetition = (
    earlier: KeyedSubmission,
    { challengeId, answer }: Pick<KeyedSubmission, 'challengeId' | 'answer'>,
  ): JudgedSubmission => {
    if (earlier.challengeId !== challengeId || earlier.answer !== answer)
      throw new Problem('request.invalid', { detail: 'Idempotency-Key belongs to another submission' })
    return earlier
  }

  /**
   * Finds the assignment of a team. An assigned flag never changes, so the assignment is read again only if its flag is missing.
   */
  const findAssigned = async (key: AssignmentKey, type: ChallengeType): Promise<JudgedAssignment | undefined> => {
    const find = () => findAssignment(key)
    return assigned.get(keyOfAssignment(key), find, ({ flag }) => hasSharedFlags(type) || flag !== null)
  }

  const judgeOnce = async (
    gameId: number,
    challengeId: number,
    user: Pick<SessionUser, 'id' | 'userName'>,
    flag: string,
    record: Recorder,
    clientKey?: string,
  ): Promise<JudgedSubmission> => {
    const answer = flag.trim().toWellFormed()
    const receivedAt = clock.now()
    const earlier = clientKey && (await plays.findKeyed({ clientKey, userId: user.id, gameId }))
    if (earlier) return checkRepetition(earlier, { challengeId, answer })
    const player = await players.get('submit', gameId, user.id)
    const { challenge, ...right } = await getPlayed(player, challengeId, 'submit')
    if (isChallengeClosed(challenge.deadlineAt, gameTimesOf(player.game), receivedAt)) throw new Problem('challenge.closed')
    // Match patterns before any row is locked, because matching can be slow.
    const flags = listRightAnswers(right, answer)
    const flagId = findMatchingFlagId(right.parts, answer)
    const key = { challengeId, participationId: player.participation.id }
    const assignment = await findAssigned(key, challenge.type)
    const rivals = hasSharedFlags(challenge.type) || !assignment ? [] : await findRivals({ ...key, answer })
    const attempt = {
      id: randomUUID(),
      player,
      challenge,
      flags,
      flagId,
      assignment,
      rivals,
      user,
      answer,
      clientKey,
      receivedAt,
    }
    const { generation } = changes
    let stored: Stored
    try {
      stored = await judgeAndStore(attempt)
    } catch (error) {
      // A concurrent call with the same key may have stored the submission, even on another replica.
      const other =
        clientKey &&
        (isIdempotencyKeyTaken(error) || isAttemptRefusal(error)) &&
        (await plays.findKeyed({ clientKey, userId: user.id, gameId }))
      if (!other) throw error
      return checkRepetition(other, { challengeId, answer })
    }
    announce(stored)
    log(stored, record)
    const { id, number, record: row } = stored
    const { participationId, status } = row
    // If the change feed reported a change during the call, the status may already be outdated, so do not cache it.
    if (changes.generation === generation)
      recentlyJudged.keep(cacheKeyOf({ gameId, challengeId, userId: user.id, number }), { challengeId, participationId, status })
    deps.onJudged?.(stored.verdict.status)
    return { id, number, status }
  }

  /**
   * Returns a solve with its points. A repeated call usually reads the points from the scoreboard. Counts solves only if the
   * scoreboard does not show the solve yet.
   */
  const readPoints = async (solve: SolveRow): Promise<SolvedChallenge | undefined> => {
    const { gameId, submissionId, curve, isValueFixed } = solve
    if (findFreezeInstant(solve, clock.now())) {
      const board = await scoreboards.read(gameId, 'public')
      return board && presentFrozenSolve(solve, board)
    }
    // Use only a board that is built already. If there is none, the next client that reads the board starts a build, which includes
    // the solve.
    const onBoard = findSolveOnBoard(solve, scoreboards.ready(gameId, 'public'))
    if (onBoard) return onBoard
    const counts = await countSolves(submissionId)
    const until = isValueFixed ? submissionId : undefined
    const most = curve.curve === 'rctf' ? await countMostSolved({ gameId, until }) : 0
    return counts && presentSolve(solve, counts, most)
  }

  /**
   * Judges and stores an answer. A solve is stored under a lock on the challenge. Concurrent calls with one idempotency key run
   * one after another, because the database would refuse a batch that contains the key twice.
   * @param clientKey idempotency key. A repeated call of the team returns the stored submission.
   * @throws Problem `challenge.unknown`, `challenge.closed`, `division.submit`, `submission.limit`, `submission.cooldown`, or one
   * of `PlayerService.get`
   */
  const submit = async (...submission: Parameters<typeof judgeOnce>): Promise<JudgedSubmission> => {
    const [gameId, , , , , clientKey] = submission
    const work = () => judgeOnce(...submission)
    return clientKey === undefined ? work() : inTurn(`${gameId} ${clientKey}`, work)
  }

  return {
    /** @throws the problems of `PlayerService.get` */
    async getBoard(gameId: number, userId: string, serialize: (board: PlayerBoard) => string): Promise<ReadyAnswer> {
      const player = await players.get('details', gameId, userId)
      const boards = await scoreboards.readViews(gameId)
      if (!boards) throw new Problem('game.unknown')
      const { participation } = player
      const cached = playerBoards.get(participation.id)
      const now = clock.now()
      const isOver = !canSubmissionScorePoints(now, { end: player.game.endsAt })
      const { live, public: shown } = boards
      const boardTag = `${live.answer.etag} ${shown.answer.etag} ${live.lockTag} ${isOver}`
      // The members of a team have separate player objects with equal values.
      if (cached?.boardTag === boardTag && isDeepStrictEqual(cached.player, player)) return cached.answer
      const answer = new ReadyAnswer(serialize(presentPlayerBoard(player, boards, now)))
      playerBoards.set(participation.id, { boardTag, player, answer })
      return answer
    },

    /**
     * Returns a challenge. The first call assigns a flag and a file to the team.
     * @throws Problem `challenge.unknown`, `challenge.locked`, `challenge.attachments-exhausted`, or one of `PlayerService.get`
     */
    async getChallenge(gameId: number, challengeId: number, userId: string): Promise<ChallengeView> {
      const player = await players.get('challenge', gameId, userId)
      const { game, participation } = player
      const { challenge, attachment, parts } = await getPlayed(player, challengeId, 'see')
      const key = { challengeId, participationId: participation.id }
      try {
        await ensureAssignment(deps, { game, challenge, participation }, await findAssigned(key, challenge.type))
      } catch (error) {
        if (error instanceof Problem && error.code === 'challenge.attachments-exhausted') warnOfMissingFile(challenge, player)
        throw error
      }
      const view = {
        challenge,
        attachment: challenge.type === 'DynamicAttachment' ? await plays.findGivenFile(key) : attachment,
        instance: hasContainer(challenge.type) ? await findInstance(key) : undefined,
      }
      const entry = view.instance && presentInstanceEntry(view.instance, runtime.exposure, config.instances.publicHost)
      const attempts = await countAttempts({ ...key, endsAt: game.endsAt })
      const boughtHints = new Set(challenge.pricedHints.length > 0 ? await hints.listBought(key) : [])
      const found = parts.length > 0 ? await plays.listFoundFlags(key) : []
      const team = { entry, attempts, boughtHints, parts, found, now: clock.now(), end: game.endsAt }
      return presentChallengeView(view, await scoreboards.read(gameId, 'public'), team)
    },

    /**
     * Buys a hint for the caller's team. After the end of the game, hints are free.
     * @param accepted price that the player accepted
     * @throws Problem `challenge.unknown`, `hint.unknown`, `hint.price`, `hint.points`, or one of `PlayerService.get`
     */
    async buyHint(
      {
        gameId,
        challengeId,
        hintId,
        accepted,
      }: Readonly<Record<'gameId' | 'challengeId' | 'accepted', number> & { hintId: string }>,
      user: Pick<SessionUser, 'id' | 'userName'>,
      record: Recorder,
    ): Promise<Hint> {
      const player = await players.get('challenge', gameId, user.id)
      const { challenge } = await getPlayed(player, challengeId, 'see')
      const boughtAt = clock.now()
      if (!canSubmissionScorePoints(boughtAt, { end: player.game.endsAt })) {
        const free = listStoredHints(challenge).find(({ id }) => id === hintId)
        if (!free) throw new Problem('hint.unknown')
        return { text: free.text, price: 0 }
      }
      // Check everything except the points first, because a build of the board is costly.
      const offer = await findHintOffer(hints, { player, challenge, hintId, accepted })
      if (offer.owned) return offer.owned
      // Read the cached board first, so that it remains cached and `readCurrent` builds only after a change.
      await scoreboards.read(gameId, 'live')
      const boards = await scoreboards.readCurrent(gameId)
      // During a freeze, compute the points from frozen values. Otherwise, a refused purchase could reveal hidden solves.
      const standing = boards && standingOfOwnTeam(player, boards)
      const earned = (standing?.score ?? 0) + (standing?.boughtHints ?? []).reduce((sum, { price }) => sum + price, 0)
      const { hint, event } = await storeHintPurchase(db, { player, challenge, hintId, user, accepted, earned, boughtAt })
      if (event) {
        const { team } = player
        const about = { time: boughtAt.toISOString(), user: user.userName, team: team.name }
        bus.publish({ kind: 'event', gameId, payload: { ...about, type: 'Normal', values: [...event] } })
        record(`Team "${team.name}" bought a hint of "${challenge.title}" for ${hint.price} points`)
      }
      return hint
    },

    submit,

    /** Submits an answer like `submit`. @returns the verdict, with the points of the solve or the found flag */
    async judge(...submission: Parameters<typeof submit>): Promise<FlagVerdict> {
      const { id, number, status } = await submit(...submission)
      const isRight = status === 'Accepted'
      const solve = isRight ? await findSolve(id) : undefined
      const found = isRight ? await plays.findFoundFlag(id) : undefined
      const shown = solve && (await readPoints(solve))
      return { id: number, status: statusShownToPlayer(status), solve: shown ?? null, found: found ?? null }
    },

    isStored: async (clientKey: string, gameId: number, userId: string): Promise<boolean> =>
      (await plays.findKeyed({ clientKey, gameId, userId })) !== undefined,

    /** Counts the flags that the caller's team has found. @throws the problems of `PlayerService.get` */
    async listFlagProgress(gameId: number, userId: string): Promise<FlagProgress[]> {
      const { participation, division } = await players.get('details', gameId, userId)
      const progress = await plays.listFlagProgress(gameId, participation.id)
      return progress.filter(({ challengeId }) => divisionSeesChallenge(division, challengeId))
    },

    /** Lists the newest submissions of the caller's team. @throws Problem `challenge.unknown`, or one of `PlayerService.get` */
    async listAttempts(gameId: number, challengeId: number, userId: string): Promise<TeamAttempt[]> {
      const player = await players.get('challenge', gameId, userId)
      const { participation } = player
      await getPlayed(player, challengeId, 'see')
      const rows = await plays.listSubmissions({ challengeId, participationId: participation.id }, Limits.maxListedAttempts)
      return rows.map((row) => ({
        id: row.number,
        answer: row.answer,
        status: statusShownToPlayer(row.status),
        time: row.submittedAt.getTime(),
        user: row.userName ?? '',
        isOwn: row.userId === userId,
      }))
    },

    /**
     * Returns the status of the caller's submission. A cheat is reported as a wrong answer.
     * @throws Problem `submission.unknown`
     */
    async getStatus(key: OwnSubmissionKey): Promise<AnswerResult> {
      const submission = await recentlyJudged.get(cacheKeyOf(key), () => findOwnSubmission(key))
      if (!submission) throw new Problem('submission.unknown')
      return statusShownToPlayer(submission.status)
    },
  }
}

export type PlayService = ReturnType<typeof createPlayService>
