import type { GameNotice } from '@capstan/contract/games'
import { createUserIdStore, idsOfUser } from './user-ids.ts'

/** Store of the ids of announcements that a user has read in this browser. */
export const useReadNotices = createUserIdStore('read-notices')

export function useReadNoticeIds(userId: string): readonly number[] {
  return useReadNotices((state) => idsOfUser(state, userId))
}

/** Returns the announcements of the organizers that the user has not read. */
export function listUnreadNotices(notices: readonly GameNotice[], readIds: readonly number[]): readonly GameNotice[] {
  return notices.filter(({ id, type }) => type === 'Normal' && !readIds.includes(id))
}
