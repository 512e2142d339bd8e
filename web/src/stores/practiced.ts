import { createUserIdStore } from './user-ids.ts'

/** Store with the ids of the challenges that a user solved after the end of the game. Such solves bring no points. */
export const usePracticed = createUserIdStore('practiced')
