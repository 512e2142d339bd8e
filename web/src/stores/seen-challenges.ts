import { createUserIds } from './user-ids.ts'

/** Challenges that a user has seen on a board. */
export const useSeenChallenges = createUserIds('seen-challenges')
