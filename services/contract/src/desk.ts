import { type Static, Type } from 'typebox'
import { nullableString, stringEnum } from './kit.ts'
import { notNegative } from './limits.ts'
import { bloodTypes } from './vocabulary.ts'

/** What one page shows a monitor about a running game: figures, no lists. */

const count = (description: string) => Type.Integer({ format: 'int32', ...notNegative, description })

/** One minute of the last hour. */
export const DeskMinute = Type.Object(
  {
    submissions: count('Submitted flags.'),
    accepted: count('Those of them that were right.'),
    starts: count('Instances that teams started.'),
  },
  { title: 'DeskMinute' },
)
export type DeskMinute = Static<typeof DeskMinute>

/** An image that did not start in the last hour, or that runs no more now. */
export const DeskFailure = Type.Object(
  {
    challengeId: Type.Integer({ format: 'int32' }),
    challenge: Type.String(),
    image: Type.String(),
    count: count('Failed starts of the last hour and instances that fail now.'),
    lastAt: Type.String({ format: 'date-time' }),
    reason: Type.String({ description: 'Of the newest one, an English sentence.' }),
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

/** Figures of a game. Answers may be some seconds old (`time`). */
export const GameDesk = Type.Object(
  {
    time: Type.String({ format: 'date-time', description: 'When the figures were taken.' }),
    minutes: Type.Array(DeskMinute, { description: '60, oldest first, the last one up to `time`.' }),
    instances: Type.Object(
      {
        running: count('Instances of teams that accept connections.'),
        starting: count('Instances of teams on their way.'),
        failing: count('Instances of teams that exist and do not run.'),
        tests: count('Test instances of organizers.'),
      },
      { description: 'Live instances by state.' },
    ),
    failures: Type.Array(DeskFailure, { description: 'Most failures first, at most 20.' }),
    review: Type.Object({
      waiting: count('Teams whose request to join is pending.'),
      since: nullableString({ format: 'date-time', description: 'When the oldest of them asked; null: nobody waits.' }),
    }),
    cheats: Type.Object({ lastHour: count('Detected in the last hour.'), total: count('Detected in the whole game.') }),
    bloods: Type.Array(DeskBlood, { description: 'Newest first, at most 8.' }),
    connections: Type.Object({
      gateways: count('Gateway processes that have been heard of lately.'),
      players: count('Browsers that follow the notices of the game.'),
      monitors: count('Browsers that follow its events.'),
      proxied: count('Open connections to instances through the proxy.'),
    }),
  },
  { title: 'GameDesk' },
)
export type GameDesk = Static<typeof GameDesk>
