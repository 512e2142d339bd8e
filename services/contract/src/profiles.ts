import { type Static, Type } from 'typebox'
import { ChallengeCategory } from './challenges.ts'
import { nullable, nullableInteger, nullableString } from './kit.ts'
import { Limits } from './limits.ts'
import { TeamRef } from './teams.ts'

function int32(description: string) {
  return Type.Integer({ format: 'int32', description })
}

/** Rank and points of a team on the scoreboard of a game. */
export const ProfileStanding = Type.Object(
  {
    rank: int32('From 1.'),
    teams: int32('Points on the scoreboard.'),
    divisionRank: nullableInteger({ format: 'int32', description: 'Null without a division.' }),
    divisionTeams: nullableInteger({ format: 'int32', description: 'Null without a division.' }),
    score: int32('Points.'),
    solved: int32('Challenges.'),
    lastSolveTime: nullableString({ format: 'date-time', description: 'Null without solves.' }),
  },
  { title: 'ProfileStanding' },
)
export type ProfileStanding = Static<typeof ProfileStanding>

/** Current or past game of a player, with the player's team. */
export const ProfileGame = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    start: Type.String({ format: 'date-time' }),
    end: Type.String({ format: 'date-time' }),
    division: nullableString(),
    team: TeamRef,
    standing: nullable(ProfileStanding, { description: 'Null until the standings are stored.' }),
  },
  { title: 'ProfileGame' },
)
export type ProfileGame = Static<typeof ProfileGame>

/** Number of solves in a category, in all games together. */
export const ProfileCategory = Type.Object(
  {
    category: ChallengeCategory,
    solves: int32('Challenges.'),
    firstBloods: int32('First solves of challenges among them.'),
  },
  { title: 'ProfileCategory' },
)
export type ProfileCategory = Static<typeof ProfileCategory>

/** Fields that the public pages of teams and players share. */
const record = {
  bio: nullableString(),
  avatar: nullableString({ description: '`/assets/{hash}/avatar` or null.' }),
  hasPublicPage: Type.Boolean({ description: 'False if only the owner, team members and admins can open the page.' }),
  games: Type.Array(ProfileGame, { description: 'One page, latest start first.' }),
  gameCount: int32('Of all pages.'),
  bestRank: nullableInteger({ format: 'int32', description: 'Best rank in a finished game. Null if the player has no rank.' }),
  categories: Type.Array(ProfileCategory, { description: 'Solves of all games by category, without empty categories.' }),
}

export const TeamProfileMember = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    userName: Type.String(),
    avatar: nullableString(),
    captain: Type.Boolean(),
    hasPublicPage: Type.Boolean(),
  },
  { title: 'TeamProfileMember' },
)
export type TeamProfileMember = Static<typeof TeamProfileMember>

export const TeamProfile = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    name: Type.String(),
    members: Type.Array(TeamProfileMember, {
      maxItems: Limits.profileMembers,
      description: 'Captain first, then in the order of joining.',
    }),
    ...record,
  },
  { title: 'TeamProfile' },
)
export type TeamProfile = Static<typeof TeamProfile>

/**
 * Public page of a player. Omits games that the player joined with a team whose page is private, unless the viewer may see that
 * page.
 */
export const UserProfilePage = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    userName: Type.String(),
    teams: Type.Array(TeamRef, { maxItems: Limits.profileTeams, description: 'Oldest first.' }),
    ...record,
  },
  { title: 'UserProfilePage' },
)
export type UserProfilePage = Static<typeof UserProfilePage>

export const ProfileVisibility = Type.Object({ hasPublicPage: Type.Boolean() }, { title: 'ProfileVisibility' })
export type ProfileVisibility = Static<typeof ProfileVisibility>

/** Settings that decide whether the caller and the caller's teams have public pages. */
export const OwnProfileVisibility = Type.Object(
  {
    hasPublicPage: Type.Boolean(),
    teams: Type.Array(
      Type.Object({
        id: Type.Integer({ format: 'int32' }),
        hasPublicPage: Type.Boolean(),
        members: Type.Array(Type.String({ format: 'uuid' }), { description: 'Members whose page the caller can open.' }),
      }),
    ),
  },
  { title: 'OwnProfileVisibility' },
)
export type OwnProfileVisibility = Static<typeof OwnProfileVisibility>
