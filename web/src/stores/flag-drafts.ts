import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'
import { draftPrefix, onForget } from '../lib/forget.ts'

interface FlagDrafts {
  /** What is typed, by challenge. */
  readonly drafts: Readonly<Record<number, string>>
  readonly write: (challengeId: number, text: string) => void
}

/** Typed flags outlive errors, closed dialogs, reloads and a lost session; they end with the tab, or when the user leaves. */
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
    { name: `${draftPrefix}flags`, storage: createJSONStorage(() => sessionStorage) },
  ),
)

onForget(() => useFlagDrafts.setState({ drafts: {} }))
