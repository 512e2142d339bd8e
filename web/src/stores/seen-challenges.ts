import { createUserIds } from './user-ids.ts'

export const useSeenChallenges = createUserIds('seen-challenges')
