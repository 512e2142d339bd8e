import { createUserIdStore } from './user-ids.ts'

export const useSeenChallenges = createUserIdStore('seen-challenges')
