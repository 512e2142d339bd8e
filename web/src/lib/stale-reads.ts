import { create } from 'zustand'

type StaleRead = Readonly<{
  /** Time of the shown answer, in ms of the clock, or undefined if it is from an earlier visit. */
  readAt: number | undefined
  retry: () => unknown
}>

type StaleReads = Readonly<{
  reads: ReadonlyMap<string, StaleRead>
  add: (id: string, read: StaleRead) => void
  remove: (id: string) => void
}>

/** Answers on the page that could not be refreshed. */
export const useStaleReads = create<StaleReads>()((set) => ({
  reads: new Map(),
  add: (id, read) => set(({ reads }) => ({ reads: new Map(reads).set(id, read) })),
  remove: (id) =>
    set(({ reads }) => {
      if (!reads.has(id)) return { reads }
      const left = new Map(reads)
      left.delete(id)
      return { reads: left }
    }),
}))

/** Time of each cached answer, in ms of the clock. */
export const readTimes = new Map<string, number>()
