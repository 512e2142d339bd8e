import type { GameNotice } from '@capstan/contract/games'
import { createUserIds, idsOf } from './user-ids.ts'

/** Announcements that a user has read in this browser. */
export const useReadNotices = createUserIds('read-notices')

/** Ids of the announcements that this user has read. */
export const useReadIds = (userId: string): readonly number[] => useReadNotices((state) => idsOf(state, userId))

/** Announcements of the organizers that are not read yet. */
export const unreadOf = (notices: readonly GameNotice[], readIds: readonly number[]): readonly GameNotice[] =>
  notices.filter(({ id, type }) => type === 'Normal' && !readIds.includes(id))
