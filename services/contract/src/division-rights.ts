/** Bits for the rights of a division. The first three concern joining and ranks, and the others concern each challenge. */
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

/** Rights that a division can have for single challenges. */
export const challengeRights = ['see', 'submit', 'points', 'bloods', 'value'] as const satisfies readonly DivisionRight[]
export type ChallengeRight = (typeof challengeRights)[number]

/** All bits, including those without a meaning. A team without a division has all rights. */
export const allRights = 2 ** 31 - 1

export function hasRight(permissions: number, right: DivisionRight): boolean {
  return (permissions & divisionRights[right]) !== 0
}

/** Rights of the teams in a division. The default applies to each challenge without an entry. */
export type DivisionRights = Readonly<{
  defaultPermissions: number
  /** Rights by challenge id. */
  overrides: ReadonlyMap<number, number>
}>

/** Returns the rights for a challenge. @param division undefined if the team has no division */
export function rightsFor(division: DivisionRights | undefined, challengeId: number): number {
  return division ? (division.overrides.get(challengeId) ?? division.defaultPermissions) : allRights
}
