import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'

interface FlagDrafts {
  /** What is typed, by challenge. */
  readonly drafts: Readonly<Record<number, string>>
  readonly write: (challengeId: number, text: string) => void
}

/** Typed flags outlive errors, closed dialogs, reloads and a lost session; they end with the browser's tab. */
export const useFlagDrafts = create<FlagDrafts>()(
  persist(
    (set) => ({
      drafts: {},
      write: (challengeId, text) =>
        set(({ drafts }) => {
          const { [challengeId]: _, ...others } = drafts
          return { drafts: text === '' ? others : { ...others, [challengeId]: text } }
        }),
    }),
    { name: 'flag-drafts', storage: createJSONStorage(() => sessionStorage) },
  ),
)
