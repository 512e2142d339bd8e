import { type Static, Type } from 'typebox'
import { nullableString } from './kit.ts'
import { Limits } from './limits.ts'
import { Scoreboard, SolveRank } from './scoreboard.ts'

/** First rows of a scoreboard. Phones show them while the whole scoreboard is still loading. */
export const LeadingBoard = Type.Object(
  {
    ...Scoreboard.properties,
    items: Type.Array(Scoreboard.properties.items.items, { maxItems: Limits.leadingTeams, description: 'First rows by rank.' }),
    teamCount: Type.Integer({ format: 'int32', description: 'Number of teams on the whole board.' }),
  },
  { title: 'LeadingBoard' },
)
export type LeadingBoard = Static<typeof LeadingBoard>

export const Solver = Type.Object(
  {
    id: Type.Integer({ format: 'int32', description: 'Team id.' }),
    name: Type.String(),
    avatar: nullableString(),
    type: SolveRank,
    time: Type.String({ format: 'date-time' }),
  },
  { title: 'Solver' },
)
export type Solver = Static<typeof Solver>

export const ChallengeSolvers = Type.Object(
  {
    count: Type.Integer({ format: 'int32', description: 'Teams.' }),
    latest: Type.Array(Solver, { maxItems: Limits.latestSolvers, description: 'Latest first.' }),
  },
  { title: 'ChallengeSolvers' },
)
export type ChallengeSolvers = Static<typeof ChallengeSolvers>
