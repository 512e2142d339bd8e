import { createUserIds } from './user-ids.ts'

/** Challenges that a user solved after the end of their game. Such solves do not count. */
export const usePracticed = createUserIds('practiced')
