import { randomUUID } from 'node:crypto'
import type { ChallengeView } from '@capstan/contract/challenges'
import type { RealtimeMessage } from '@capstan/contract/events'
import { Problem } from '@capstan/contract/problems'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import type { AnswerResult } from '@capstan/contract/submissions'
import { batched } from '@capstan/db/batched'
import { DatabaseError } from '@capstan/db/database-error'
import { untilKnown } from '@capstan/db/until-known'
import type { AppDeps } from '../app-types.ts'
import { createAssignmentService } from '../assignments/service.ts'
import { playerStatusOf } from '../flags/judge.ts'
import { presentEntry } from '../instances/service.ts'
import type { Recorder } from '../logs/record.ts'
import { createPlayerService, timesOfPlayed } from '../players/service.ts'
import type { ScoreboardService } from '../scoreboard/service.ts'
import { refusePlayer } from '../scoring/participation.ts'
import type { SessionUser } from '../sessions/session-user.ts'
import { type Attempt, type Judged, judge, judgeInTurn } from './judging.ts'
import { presentChallengeView, presentPlayerBoard } from './presenter.ts'
import { playRepository } from './repository.ts'
import { type StoredSubmission, submissionRepository } from './submission-repository.ts'

export interface PlayServiceDeps extends AppDeps {
  readonly scoreboards: ScoreboardService
  /** Told of every judged submission, for metrics. */
  readonly onJudged?: (status: AnswerResult) => void
}

/** What has become of an attempt. */
interface Stored extends Judged, StoredSubmission {}

/** An earlier try of the same call has stored it after all. */
const isStoredAlready = (error: unknown): boolean =>
  error instanceof DatabaseError && error.constraint === 'submissions_attempt_key'

/** What players do with challenges. Behaviour §8, §10, §11. */
export const createPlayService = (deps: PlayServiceDeps) => {
  const { db, bus, clock, config, runtime, scoreboards } = deps
  const players = createPlayerService(deps)
  const assignments = createAssignmentService(deps)
  const plays = playRepository(db)
  const submissions = submissionRepository(db)
  const findContext = batched(submissions.findContexts, db)

  /** Pushes what was stored to those who listen. */
  const announce = ({ attempt, record, noticeId }: Stored): void => {
    const { challenge, team, user, answer } = attempt
    const { gameId } = record
    const time = record.submittedAt.toISOString()
    const messages: RealtimeMessage[] = record.events.map(({ type, values }) => ({
      kind: 'event',
      gameId,
      payload: { time, user: user.userName, team: team.name, type, values: [...values] },
    }))
    const submission = { answer, status: record.status, time, user: user.userName, team: team.name, challenge: challenge.title }
    messages.push({ kind: 'submission', gameId, payload: submission })
    if (record.notice && noticeId !== null) {
      const { type, values } = record.notice
      messages.push({ kind: 'notice', gameId, payload: { id: noticeId, time, type, values: [...values] } })
    }
    for (const message of messages) bus.publish(message)
    if (record.isSolve) scoreboards.markStale(gameId, { isAnnounced: true })
  }

  /** Never holds the answer: it may be a flag. */
  const log = ({ attempt: { team, challenge }, verdict: { status, isLogged } }: Stored, record: Recorder): void =>
    record(`Team "${team.name}" submitted a flag for "${challenge.title}": ${status}`, {
      level: isLogged ? 'Warning' : 'Information',
      status: status === 'Accepted' ? 'Success' : status === 'NotFound' ? 'NotFound' : 'Failed',
    })

  const storeJudged = async (judged: readonly Judged[], repository = submissions): Promise<Stored[]> => {
    const rows = await repository.insert(judged.map(({ record }) => record))
    return rows.map((row, index) => ({ ...(judged[index] as Judged), ...row }))
  }
  /** What was stored by a statement whose answer got lost: all of it or nothing. */
  const findStored = async (judged: readonly Judged[]): Promise<Stored[] | undefined> => {
    const ids = await submissions.findStored(judged.map(({ attempt }) => attempt.id))
    const found = judged.flatMap((one, index) => {
      const id = ids[index]
      return id === undefined ? [] : [{ ...one, id, noticeId: null }]
    })
    return found.length === judged.length ? found : undefined
  }
  const storeTogether = batched(
    (judged: readonly Judged[]) =>
      untilKnown(() => storeJudged(judged), { find: () => findStored(judged), isDone: isStoredAlready }),
    db,
  )

  /** Solves of one moment are settled together, one after the other, under a lock on their challenges. */
  const settle = batched((attempts: readonly Attempt[]) => {
    const challengeIds = [...new Set(attempts.map(({ challenge }) => challenge.id))]
    const participationIds = attempts.map(({ participation }) => participation.id)
    let settled: readonly Stored[] = []
    const work = () =>
      db.transaction(async (transaction) => {
        const repository = submissionRepository(transaction)
        await repository.lockChallenges(challengeIds)
        const judged = judgeInTurn(attempts, await repository.readSolves(challengeIds, participationIds))
        const stored = new Map((await storeJudged(judged, repository)).map((one) => [one.attempt, one]))
        settled = attempts.flatMap((attempt) => stored.get(attempt) ?? [])
        return settled
      })
    // Where the answer to the commit got lost: all of it is there, or nothing.
    const find = async () => ((await findStored(settled.slice(0, 1)))?.length ? settled : undefined)
    return untilKnown(work, { find, isDone: isStoredAlready })
  }, db)

  const store = (attempt: Attempt): Promise<Stored> => {
    const judged = judge(attempt)
    return judged.verdict.isSolve ? settle(attempt) : storeTogether(judged)
  }

  return {
    /** @throws Problem as of `PlayerService.get` */
    async getBoard(gameId: number, userId: string): Promise<PlayerBoard> {
      const player = await players.get('details', gameId, userId)
      const board = await scoreboards.read(gameId)
      if (!board) throw new Problem('game.unknown')
      return presentPlayerBoard(player, board)
    },

    /** The first call fixes the team's flag and file. @throws Problem `challenge.unknown`, `challenge.attachments-exhausted`, … */
    async getChallenge(gameId: number, challengeId: number, userId: string): Promise<ChallengeView> {
      const { game, participation } = await players.get('challenge', gameId, userId)
      const find = () => plays.findView(gameId, challengeId, participation.id)
      let row = await find()
      if (!row) throw new Problem('challenge.unknown')
      const wasMade = await assignments.ensure({ game, challenge: row.challenge, participation }, row.assignment ?? undefined)
      if (wasMade) row = await find()
      if (!row) throw new Problem('challenge.unknown')
      const entry = row.instance ? presentEntry(row.instance, runtime.exposure, config.instances.publicHost) : undefined
      return presentChallengeView(row, await scoreboards.read(gameId), entry)
    },

    /**
     * Stores and judges an answer; a solve is settled under a lock on the challenge.
     * @returns id of the submission. @throws Problem `challenge.unknown` and those of a player's call
     */
    async submit(
      gameId: number,
      challengeId: number,
      user: Pick<SessionUser, 'id' | 'userName'>,
      flag: string,
      record: Recorder,
    ): Promise<number> {
      const answer = flag.trim().toWellFormed()
      const receivedAt = clock.now()
      const context = await findContext({ gameId, challengeId, userId: user.id, answer })
      if (!context) throw new Problem('game.unknown')
      const { participation, team, challenge } = context
      const refusal = refusePlayer('submit', participation?.status, timesOfPlayed(context.game), receivedAt)
      if (refusal) throw new Problem(refusal)
      if (!participation || !team) throw new Problem('participation.required')
      if (!challenge) throw new Problem('challenge.unknown')
      const attempt = { id: randomUUID(), context, challenge, participation, team, user, answer, receivedAt }
      const stored = await store(attempt)
      announce(stored)
      log(stored, record)
      deps.onJudged?.(stored.verdict.status)
      return stored.id
    },

    /** What became of the caller's own submission, without a word about cheating. @throws Problem `submission.unknown` */
    async getStatus(gameId: number, challengeId: number, id: number, userId: string): Promise<AnswerResult> {
      const submission = await plays.findOwnSubmission({ gameId, challengeId, id, userId })
      if (!submission) throw new Problem('submission.unknown')
      return playerStatusOf(submission.status)
    },
  }
}

export type PlayService = ReturnType<typeof createPlayService>
