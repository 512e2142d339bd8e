import type { AnswerResult } from '@capstan/contract/submissions'
import { batchQueries } from '@capstan/db/batched'
import type { Database } from '@capstan/db/client'
import { LRUCache } from 'lru-cache'
import type { InstanceDeps } from '../../instances/deps.ts'
import type { AssignmentKey } from '../../instances/team-flags/service.ts'
import { createCache } from '../../server/changes/cache.ts'
import type { ChangeFeed } from '../../server/changes/feed.ts'
import type { ReadyAnswer } from '../../server/http/ready-answer.ts'
import { createKeyedQueue } from '../../server/keyed-queue.ts'
import type { Player, PlayerService } from '../../server/players/service.ts'
import type { ScoreboardService } from '../scoreboard/service.ts'
import { createAttemptQueries } from './judge-and-store.ts'
import {
  countSolves,
  countSolvesOfMostSolvedChallenges,
  findInstances,
  findOwnSubmissions,
  findSolves,
  type MostSolvedKey,
  type OwnSubmission,
  type OwnSubmissionKey,
  type PlayedChallenge,
} from './repository.ts'
import { type CountedAttempts, createSubmissionRepository, type JudgedAssignment } from './submission-repository.ts'

const maxPlayerBoardBytes = 32 * 1024 * 1024

/** Creates the queries whose concurrent callers share one statement. */
function createPlayQueries(db: Database) {
  const submissions = createSubmissionRepository(db)
  return {
    ...createAttemptQueries(db, submissions),
    findAssignment: batchQueries(submissions.findAssignments, db),
    countAttempts: batchQueries((keys: readonly CountedAttempts[]) => submissions.countAttempts(keys), db),
    findRivals: batchQueries(submissions.findRivals, db),
    findInstance: batchQueries((keys: readonly AssignmentKey[]) => findInstances(db, keys), db),
    findOwnSubmission: batchQueries((keys: readonly OwnSubmissionKey[]) => findOwnSubmissions(db, keys), db),
    findSolve: batchQueries((submissionIds: readonly number[]) => findSolves(db, submissionIds), db),
    countSolves: batchQueries((submissionIds: readonly number[]) => countSolves(db, submissionIds), db),
    countSolvesOfMostSolvedChallenge: batchQueries(
      (keys: readonly MostSolvedKey[]) => countSolvesOfMostSolvedChallenges(db, keys),
      db,
      { maxConcurrent: 1 },
    ),
  }
}

function createPlayCaches(changes: ChangeFeed) {
  return {
    challenges: createCache<number, PlayedChallenge>({
      feed: changes,
      maxEntries: 2_000,
      dependsOn: ({ challenge: { id, gameId }, attachment }) => [
        `challenge ${id}`,
        `game ${gameId}`,
        `attachment ${attachment?.id}`,
      ],
    }),
    /** Assignments, by `keyOfAssignment`. */
    assignments: createCache<string, JudgedAssignment>({
      feed: changes,
      maxEntries: 20_000,
      dependsOn: ({ challengeId, participationId }) => [`challenge ${challengeId}`, `participation ${participationId}`],
    }),
    /**
     * Responses with the board of a player, by participation, so that the members of a team share a response. A response is valid
     * until the board or the values of the player change.
     */
    playerBoards: new LRUCache<
      number,
      /** Tag that identifies the board. A reference instead of the tag would prevent the garbage collection of the board. */
      Readonly<{ boardTag: string; player: Player; response: ReadyAnswer }>
    >({
      maxSize: maxPlayerBoardBytes,
      sizeCalculation: ({ response }) => 2 * response.size,
    }),
    /** Times of the last warnings about missing files in ms since 1970, by challenge. */
    missingFileWarnings: new LRUCache<number, number>({ max: 1_000 }),
    /** Recently judged submissions. They are cached, because a player polls the status right after the submission. */
    recentlyJudged: createCache<string, OwnSubmission>({
      feed: changes,
      maxEntries: 5_000,
      dependsOn: ({ challengeId, participationId }) => [`challenge ${challengeId}`, `participation ${participationId}`],
    }),
  }
}

/** Creates the state of the calls of players. All calls of a process share it. */
export function createPlayState({ db, changes }: Readonly<{ db: Database; changes: ChangeFeed }>) {
  return {
    queries: createPlayQueries(db),
    caches: createPlayCaches(changes),
    /** Runs submissions with the same idempotency key one after another. */
    inTurn: createKeyedQueue(),
  }
}

export type PlayDeps = InstanceDeps &
  Readonly<ReturnType<typeof createPlayState>> &
  Readonly<{
    scoreboards: ScoreboardService
    players: PlayerService
    changes: ChangeFeed
    /** Function for metrics that is called after each judged submission. */
    onJudged?: (status: AnswerResult) => void
  }>
