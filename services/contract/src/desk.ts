import { type Static, Type } from 'typebox'
import { ChallengeCategory } from './challenges.ts'
import { nullableString, stringEnum } from './kit.ts'
import { notNegative } from './limits.ts'
import { bloodTypes } from './vocabulary.ts'

/**
 * Overview of a game for monitors. The lists have fixed maximum lengths, so the response for a large game is as small as for a
 * small game.
 */

function count(description: string) {
  return Type.Integer({ format: 'int32', ...notNegative, description })
}

export const DeskMinute = Type.Object(
  {
    submissions: count('Submitted flags.'),
    accepted: count('Correct flags among them.'),
    starts: count('Instances that teams started.'),
  },
  { title: 'DeskMinute' },
)
export type DeskMinute = Static<typeof DeskMinute>

/** Challenge image whose instances failed in the last hour. */
export const DeskFailure = Type.Object(
  {
    challengeId: Type.Integer({ format: 'int32' }),
    challenge: Type.String(),
    image: Type.String(),
    count: count('Failed starts in the last hour, and instances that are failing.'),
    lastAt: Type.String({ format: 'date-time' }),
    reason: Type.String({ description: 'Reason of the newest failure, as an English sentence.' }),
    reasonCode: nullableString({ description: 'The reason as one PascalCase word; null if it is unknown.' }),
  },
  { title: 'DeskFailure' },
)
export type DeskFailure = Static<typeof DeskFailure>

export const DeskBlood = Type.Object(
  {
    time: Type.String({ format: 'date-time' }),
    type: stringEnum(bloodTypes),
    team: Type.String(),
    challenge: Type.String(),
  },
  { title: 'DeskBlood' },
)
export type DeskBlood = Static<typeof DeskBlood>

const team = { teamId: Type.Integer({ format: 'int32' }), team: Type.String() }
const rank = Type.Integer({ format: 'int32', ...notNegative, description: 'Rank from 1; 0 if not on the scoreboard.' })
const score = Type.Integer({ format: 'int32', description: 'Points on the scoreboard.' })

/** Enabled challenge, with its numbers for the last hour. */
export const DeskChallenge = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    category: ChallengeCategory,
    score: Type.Integer({ format: 'int32', description: 'Current points.' }),
    solved: count('Teams that solved it.'),
    right: count('Correct flags of the last hour.'),
    wrong: count('Wrong flags of the last hour.'),
    teams: count('Teams that submitted flags in the last hour.'),
  },
  { title: 'DeskChallenge' },
)
export type DeskChallenge = Static<typeof DeskChallenge>

/** Team that gained many points in the last hour. */
export const DeskMover = Type.Object(
  {
    ...team,
    rank,
    score,
    gained: count('Points from challenges that were solved in the last hour.'),
    solves: count('Challenges solved in the last hour.'),
  },
  { title: 'DeskMover' },
)
export type DeskMover = Static<typeof DeskMover>

/** Team that has submitted only wrong flags in the last hour. */
export const DeskStuck = Type.Object(
  {
    ...team,
    wrong: count('Wrong flags of the last hour. The team had no correct flag.'),
    challenge: Type.String({ description: 'Challenge with most of them.' }),
    lastSolveAt: nullableString({ format: 'date-time', description: 'Null if the team has no solves.' }),
  },
  { title: 'DeskStuck' },
)
export type DeskStuck = Static<typeof DeskStuck>

/** Submission of a flag that belongs to another team. */
export const DeskSuspicion = Type.Object(
  {
    time: Type.String({ format: 'date-time' }),
    team: Type.String({ description: 'Team that submitted the flag.' }),
    owner: Type.String({ description: 'Team that owns the flag.' }),
    challenge: Type.String(),
  },
  { title: 'DeskSuspicion' },
)
export type DeskSuspicion = Static<typeof DeskSuspicion>

export const DeskLeader = Type.Object({ ...team, rank, score, solved: count('Challenges solved.') }, { title: 'DeskLeader' })
export type DeskLeader = Static<typeof DeskLeader>

/** Totals for the whole game. */
export const DeskSummary = Type.Object(
  {
    teams: count('Teams on the scoreboard.'),
    scored: count('Teams with at least one solve.'),
    solves: count('Solves of all teams.'),
    leaders: Type.Array(DeskLeader, { description: 'The first three with a solve.' }),
  },
  { title: 'DeskSummary' },
)
export type DeskSummary = Static<typeof DeskSummary>

/** Overview of a game. The data may be some seconds old: `time` is the time of the data. */
export const GameDesk = Type.Object(
  {
    time: Type.String({ format: 'date-time', description: 'Time of the figures.' }),
    minutes: Type.Array(DeskMinute, { description: 'The last 60 minutes up to `time`, oldest first.' }),
    instances: Type.Object(
      {
        running: count('Instances of teams that accept connections.'),
        starting: count('Instances of teams that are starting.'),
        failing: count('Instances of teams that are failing.'),
        tests: count('Test instances of organizers.'),
      },
      { description: 'Live instances by state.' },
    ),
    failures: Type.Array(DeskFailure, { description: 'Most failures first, at most 20.' }),
    review: Type.Object({
      waiting: count('Teams whose request to join is pending.'),
      since: nullableString({ format: 'date-time', description: 'Time of the oldest pending request; null without requests.' }),
    }),
    cheats: Type.Object({ lastHour: count('Detected in the last hour.'), total: count('Detected in the whole game.') }),
    bloods: Type.Array(DeskBlood, { description: 'Newest first, at most 8.' }),
    challenges: Type.Array(DeskChallenge, {
      description: 'At most 300 challenges in the order of the scoreboard. Up to 15 s old.',
    }),
    movers: Type.Array(DeskMover, { description: 'Most points first, at most 6. Up to 15 s old.' }),
    stuck: Type.Array(DeskStuck, { description: 'Most wrong flags first, at most 6. Up to 15 s old.' }),
    suspicions: Type.Array(DeskSuspicion, { description: 'Newest first, at most 6. Up to 15 s old.' }),
    summary: DeskSummary,
    hasCertificates: Type.Boolean({ description: 'True if the game has a template of certificates.' }),
    connections: Type.Object({
      gateways: count('Gateway processes that reported recently.'),
      players: count('Browsers that receive the notices of the game.'),
      monitors: count('Browsers that receive the events of the game.'),
      proxied: count('Open connections to instances through the proxy.'),
    }),
  },
  { title: 'GameDesk' },
)
export type GameDesk = Static<typeof GameDesk>
