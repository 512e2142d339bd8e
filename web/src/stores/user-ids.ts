import { create } from 'zustand'
import { persist } from 'zustand/middleware'

const maxIds = 1_000
const none: readonly number[] = []

export type UserIds = Readonly<{
  /** Ids by user id, latest last. The user id of a visitor is empty. */
  ids: Readonly<Record<string, readonly number[]>>
  add: (userId: string, ids: readonly number[]) => void
}>

/** Creates a store of ids per user of this browser. All tabs share it. */
export function createUserIds(storageKey: string) {
  const useIds = create<UserIds>()(
    persist(
      (set) => ({
        ids: {},
        add: (userId, added): void => {
          // Another tab may have written since the last storage event, so read the stored ids again.
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

export function idsOf({ ids }: UserIds, userId: string): readonly number[] {
  return ids[userId] ?? none
}
