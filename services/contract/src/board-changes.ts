import { type Static, Type } from 'typebox'
import { nullableString } from './kit.ts'

/** New solve on the board, with its places at the time it was counted. Later solves follow it. */
export const BoardSolve = Type.Object(
  {
    team: Type.Integer({ format: 'int32', description: 'Team id.' }),
    challenge: Type.Integer({ format: 'int32' }),
    userName: nullableString(),
    time: Type.String({ format: 'date-time' }),
    place: Type.Integer({ format: 'int32', description: '1 to 3 among the solves of the challenge; 0 = after these.' }),
    at: Type.Integer({ format: 'int32', description: "Place in the team's `solvedChallenges`, from 0." }),
  },
  { title: 'BoardSolve' },
)
export type BoardSolve = Static<typeof BoardSolve>

export const BoardChanges = Type.Object(
  {
    version: Type.String({ description: 'Of the board with these changes: `since` of the next call.' }),
    whole: Type.Boolean({
      description:
        'The board must be read as a whole: `since` is too old, or other things than solves have changed. All lists are empty.',
    }),
    updateTimeUtc: Type.String({ format: 'date-time' }),
    challenges: Type.Array(
      Type.Object({ id: Type.Integer({ format: 'int32' }), score: Type.Integer({ format: 'int32' }) }, { title: 'BoardValue' }),
      { description: 'Present value of each challenge that has new solves.' },
    ),
    solves: Type.Array(BoardSolve, { description: 'In the order in which they were counted.' }),
    ties: Type.Array(Type.Array(Type.Integer({ format: 'int32' })), {
      description: 'Ids of teams with equal score and equal time of the last solve, each list in the order of their ranks.',
    }),
  },
  { title: 'BoardChanges' },
)
export type BoardChanges = Static<typeof BoardChanges>
