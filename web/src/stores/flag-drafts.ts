import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'
import { draftPrefix, onLogOut } from '../lib/forget.ts'

type FlagDrafts = Readonly<{
  drafts: Readonly<Record<number, string>>
  write: (challengeId: number, text: string) => void
}>

/**
 * Store of flags that the user typed but did not submit. They survive errors, closed dialogs, reloads and an expired session.
 * They are dropped when the tab closes or the user logs out.
 */
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

onLogOut(() => useFlagDrafts.setState({ drafts: {} }))
