import type { BoardNames, ScoreRecord } from '../records.ts'
import { instantAt } from './facts.ts'

/** Returns the result of `instantAt` in ms since 1970. */
export function instantMsAt(time: string): number {
  return instantAt(time).getTime()
}

/** Names that `aParticipation` and `aSolve` use. The id of each team is 100 plus the id of its participation. */
export const someNames = {
  team: (id: number) => ({ id, name: `team ${id - 100}`, bio: null, avatar: null }),
  userOf: (submissionId: number) => `user of ${submissionId}`,
} satisfies BoardNames

type ValueOf<Kind extends ScoreRecord['kind']> = NonNullable<Extract<ScoreRecord, { kind: Kind }>['value']>

/** Creates the record of the game of `someFacts`. */
export function createGameRecord(time: string, changes: Partial<ValueOf<'game'>> = {}): ScoreRecord {
  const value = { start: instantMsAt('09:00'), end: instantMsAt('12:00'), bloodBonus: 52459530, bloodPoints: null, ...changes }
  return { kind: 'game', key: '', time: instantMsAt(time), value }
}

/** Creates the record of the same challenge that `aChallenge` creates. */
export function createChallengeRecord(time: string, id: number, changes: Partial<ValueOf<'challenge'>> = {}): ScoreRecord {
  const value: ValueOf<'challenge'> = {
    ...{ title: `challenge ${id}`, category: 'Web', isShown: true, deadline: null },
    ...{ originalScore: 1000, minScoreRate: 0.25, difficulty: 5, hasBloods: true, curve: 'exponential', isValueFixed: false },
    ...changes,
  }
  return { kind: 'challenge', key: String(id), time: instantMsAt(time), value }
}

export function createParticipationRecord(
  time: string,
  id: number,
  changes: Partial<ValueOf<'participation'>> = {},
): ScoreRecord {
  const value: ValueOf<'participation'> = { team: 100 + id, status: 'Accepted', division: null, ...changes }
  return { kind: 'participation', key: String(id), time: instantMsAt(time), value }
}

/** @param solvedAt time of the submission. Default: the time of the record */
export function createSolveRecord(time: string, pair: string, submission: number, solvedAt = time): ScoreRecord {
  return { kind: 'solve', key: pair, time: instantMsAt(time), value: { submission, time: instantMsAt(solvedAt) } }
}

export function createRemovalRecord(time: string, kind: ScoreRecord['kind'], key: string): ScoreRecord {
  return { kind, key, time: instantMsAt(time), value: null }
}
