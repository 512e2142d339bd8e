import { type Static, Type } from 'typebox'
import { ScoreboardTeam } from './scoreboard.ts'

/** Current value of a challenge, number of teams that solved it, and ids of the teams that solved it first. */
export const BoardValue = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    score: Type.Integer({ format: 'int32' }),
    solved: Type.Integer({ format: 'int32', description: 'Teams.' }),
    bloods: Type.Array(Type.Integer({ format: 'int32' }), { description: 'Ids of the first teams, in order.' }),
  },
  { title: 'BoardValue' },
)
export type BoardValue = Static<typeof BoardValue>

export const BoardChanges = Type.Object(
  {
    version: Type.String({ description: 'Version of the board with these changes: `since` of the next call.' }),
    whole: Type.Boolean({
      description:
        'True if the client must load the whole board, because the changes since `since` are unknown. All lists are then empty.',
    }),
    updateTimeUtc: Type.String({ format: 'date-time' }),
    teams: Type.Array(ScoreboardTeam, { description: 'Rows that may have changed after `since`.' }),
    removed: Type.Array(Type.Integer({ format: 'int32' }), { description: 'Ids of teams that are not on the board.' }),
    challenges: Type.Array(BoardValue, { description: 'All challenges of the board if a row changed, else empty.' }),
    ties: Type.Array(Type.Array(Type.Integer({ format: 'int32' })), {
      description: 'Ids of teams with equal score and equal time of the last solve, each list in the order of their ranks.',
    }),
  },
  { title: 'BoardChanges' },
)
export type BoardChanges = Static<typeof BoardChanges>
