import { hasSharedFlags } from '@capstan/contract/challenge-types'
import type { ChallengeType } from '@capstan/contract/challenges'
import { Problem } from '@capstan/contract/problems'
import { type AssignmentKey, keyOfAssignment } from '../../instances/team-flags/service.ts'
import { divisionSeesChallenge, refuseCallWithoutDivisionRight } from '../../rules/scoring/division-rights.ts'
import type { Player } from '../../server/players/service.ts'
import { checkUnlocked } from '../scoreboard/unlocking.ts'
import type { PlayDeps } from './deps.ts'
import { findChallenge, type PlayedChallenge } from './repository.ts'
import type { JudgedAssignment } from './submission-repository.ts'

export type PlayedChallengeDeps = Pick<PlayDeps, 'db' | 'clock' | 'scoreboards' | 'caches'>

/**
 * Returns a challenge that a player may see, or to which the player may submit.
 * @throws Problem `challenge.unknown`, `challenge.locked`, `division.submit`. A challenge counts as unknown if it is disabled,
 * unreleased or hidden, or if it belongs to another game
 */
export async function getPlayedChallenge(
  deps: PlayedChallengeDeps,
  player: Player,
  challengeId: number,
  call: 'see' | 'submit',
): Promise<PlayedChallenge> {
  const { game, division } = player
  const found = await deps.caches.challenges.get(challengeId, () => findChallenge(deps.db, challengeId))
  if (found?.challenge.gameId !== game.id || !found.challenge.isShown) throw new Problem('challenge.unknown')
  if (!divisionSeesChallenge(division, challengeId)) throw new Problem('challenge.unknown')
  await checkUnlocked(deps, player, found.challenge)
  const refusal = refuseCallWithoutDivisionRight(division, challengeId, call)
  if (refusal) throw new Problem(refusal)
  return found
}

/** Finds the assignment of a team. An assigned flag never changes, so the assignment is read again only if its flag is missing. */
export function findAssigned(
  { caches, queries }: Pick<PlayDeps, 'caches' | 'queries'>,
  key: AssignmentKey,
  type: ChallengeType,
): Promise<JudgedAssignment | undefined> {
  const find = () => queries.findAssignment(key)
  return caches.assignments.get(keyOfAssignment(key), find, ({ flag }) => hasSharedFlags(type) || flag !== null)
}
