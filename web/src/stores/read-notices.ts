import type { GameNotice } from '@capstan/contract/games'
import { createUserIds, idsOf } from './user-ids.ts'

/** Store of the ids of announcements that a user has read in this browser. */
export const useReadNotices = createUserIds('read-notices')

export function useReadIds(userId: string): readonly number[] {
  return useReadNotices((state) => idsOf(state, userId))
}

/** Returns the announcements of the organizers that the user has not read. */
export function listUnreadNotices(notices: readonly GameNotice[], readIds: readonly number[]): readonly GameNotice[] {
  return notices.filter(({ id, type }) => type === 'Normal' && !readIds.includes(id))
}
