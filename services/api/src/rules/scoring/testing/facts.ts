import { allRights } from '@capstan/contract/division-rights'
import type { RankedChallenge, RankedDivision, RankedParticipation, RankedSolve, ScoreboardFacts } from '../ranking.ts'

/** Creates a challenge of the category Web worth 1000 points, minimum share 0.25, decay 5. */
export function aChallenge(id: number, changes: Partial<RankedChallenge> = {}): RankedChallenge {
  return {
    id,
    title: `challenge ${id}`,
    category: 'Web',
    isEnabled: true,
    deadline: null,
    points: 1000,
    minimumShare: 0.25,
    decay: 5,
    hasBloods: true,
    curve: 'exponential',
    isValueFixed: false,
    flagPoints: 0,
    ...changes,
  }
}

/** Creates an accepted participation `id` of the team `100 + id` without a division. */
export function aParticipation(
  id: number,
  { name = `team ${id}`, ...changes }: Partial<RankedParticipation> & { name?: string } = {},
): RankedParticipation {
  return {
    id,
    status: 'Accepted',
    division: null,
    team: { id: 100 + id, name, bio: null, avatar: null },
    ...changes,
  }
}

/** Creates a division. By default its teams have all rights. */
export function aDivision(id: number, name: string, changes: Partial<RankedDivision> = {}): RankedDivision {
  return { id, name, defaultPermissions: allRights, overrides: new Map(), ...changes }
}

/** Returns a time on May 1, 2026, in UTC. @param time hour and minute, for example `10:05` */
export function instantAt(time: string): Date {
  return new Date(`2026-05-01T${time}:00.000Z`)
}

export function aSolve(submissionId: number, participationId: number, challengeId: number, time: string): RankedSolve {
  return {
    submissionId,
    participationId,
    challengeId,
    userName: `user ${participationId}`,
    submittedAt: instantAt(time),
  }
}

/** Creates a game that ends at 12:00 with the default bonus. */
export function someFacts(changes: Partial<ScoreboardFacts> = {}): ScoreboardFacts {
  return {
    game: { end: instantAt('12:00'), bloodBonus: 52459530 },
    challenges: [],
    divisions: [],
    participations: [],
    solves: [],
    updatedAt: instantAt('11:00'),
    ...changes,
  }
}

/** Creates solves of every challenge by every team. The order of the solves differs from team to team. */
export function fullyPlayedBoardFacts(teams: number, challenges: number): ScoreboardFacts {
  const start = instantAt('00:00').getTime()
  const solves: RankedSolve[] = []
  for (let team = 1; team <= teams; team++)
    for (let challenge = 1; challenge <= challenges; challenge++)
      solves.push({
        submissionId: solves.length + 1,
        participationId: team,
        challengeId: challenge,
        userName: `user ${team}`,
        submittedAt: new Date(start + ((team * 7919 + challenge * 104729) % 40_000_000)),
      })
  return someFacts({
    challenges: Array.from({ length: challenges }, (_, index) => aChallenge(index + 1)),
    participations: Array.from({ length: teams }, (_, index) => aParticipation(index + 1, { division: `division ${index % 4}` })),
    solves,
  })
}
