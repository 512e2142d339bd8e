import { type Static, Type } from 'typebox'

const TaskStats = Type.Object({
  points: Type.Integer({ description: 'With bonus.' }),
  time: Type.Integer({ description: 'Seconds since 1970.' }),
})

/** Scoreboard in the feed format of CTFtime (https://ctftime.org/json-scoreboard-feed). */
export const CtftimeFeed = Type.Object(
  {
    tasks: Type.Array(Type.String(), { description: 'Titles of the challenges. Equal titles get a number.' }),
    standings: Type.Array(
      Type.Object({
        pos: Type.Integer({ description: 'From 1.' }),
        id: Type.Integer({ description: 'Team id, which remains the same after a new name. CTFtime ignores it.' }),
        team: Type.String(),
        score: Type.Integer(),
        taskStats: Type.Record(Type.String(), TaskStats, { description: 'By task.' }),
        lastAccept: Type.Integer({ description: 'Seconds since 1970; 0 without a solve.' }),
      }),
    ),
  },
  { title: 'CtftimeFeed' },
)
export type CtftimeFeed = Static<typeof CtftimeFeed>
