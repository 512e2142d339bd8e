/** Bits for the rights of a division. The first three rights concern joining and ranks. The other rights concern challenges. */
export const divisionRights = {
  join: 1,
  rank: 2,
  review: 4,
  see: 256,
  submit: 512,
  points: 1024,
  bloods: 2048,
  value: 4096,
} as const
export type DivisionRight = keyof typeof divisionRights

/** Rights that a division can have separately for each challenge. */
export const challengeRights = ['see', 'submit', 'points', 'bloods', 'value'] as const satisfies readonly DivisionRight[]
export type ChallengeRight = (typeof challengeRights)[number]

/** Value with all bits set, including unused bits. It means all rights, which a team without a division has. */
export const allRights = 2 ** 31 - 1

export function hasRight(permissions: number, right: DivisionRight): boolean {
  return (permissions & divisionRights[right]) !== 0
}

/** Rights of the teams in a division. `defaultPermissions` applies to each challenge that is not in `overrides`. */
export type DivisionRights = Readonly<{
  defaultPermissions: number
  /** Rights for single challenges, by challenge id. */
  overrides: ReadonlyMap<number, number>
}>

/** Returns the rights for a challenge. @param division undefined if the team has no division */
export function rightsForChallenge(division: DivisionRights | undefined, challengeId: number): number {
  return division ? (division.overrides.get(challengeId) ?? division.defaultPermissions) : allRights
}
