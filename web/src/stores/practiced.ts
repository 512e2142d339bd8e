import { createUserIds } from './user-ids.ts'

/** Store of challenge ids that a user solved after the end of the game. Such solves bring no points. */
export const usePracticed = createUserIds('practiced')
