import { create } from 'zustand'
import { persist } from 'zustand/middleware'

const maxIds = 1_000
const none: readonly number[] = []

export type UserIds = Readonly<{
  /** Lists of ids, oldest first. The key of a list is the id of its user, or an empty text for visitors who are not logged in. */
  ids: Readonly<Record<string, readonly number[]>>
  add: (userId: string, ids: readonly number[]) => void
}>

/** Creates a store that contains a list of ids for each user of this browser. All tabs share the store. */
export function createUserIdStore(storageKey: string) {
  const useIds = create<UserIds>()(
    persist(
      (set) => ({
        ids: {},
        add: (userId, added): void => {
          // Read the stored ids again, because another tab may have written them after the last storage event.
          void useIds.persist.rehydrate()
          set(({ ids }) => {
            const others = (ids[userId] ?? none).filter((id) => !added.includes(id))
            return { ids: { ...ids, [userId]: [...others, ...added].slice(-maxIds) } }
          })
        },
      }),
      { name: storageKey, partialize: ({ ids }) => ({ ids }) },
    ),
  )
  addEventListener('storage', ({ key }) => {
    if (key === storageKey) void useIds.persist.rehydrate()
  })
  return useIds
}

export function idsOfUser({ ids }: UserIds, userId: string): readonly number[] {
  return ids[userId] ?? none
}
