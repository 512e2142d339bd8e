import { createUserIds } from './user-ids.ts'

/** Challenges that a user has solved after the end of their game, when solves do not count. */
export const usePracticed = createUserIds('practiced')
