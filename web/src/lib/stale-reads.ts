import { create } from 'zustand'

type StaleRead = Readonly<{
  /** Time when the visible data was read, on the server clock, in ms. Undefined if the data is from a previous visit. */
  readAt: number | undefined
  retry: () => unknown
}>

type StaleReads = Readonly<{
  reads: ReadonlyMap<string, StaleRead>
  add: (id: string, read: StaleRead) => void
  remove: (id: string) => void
}>

/** Visible data that could not be refreshed. */
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

/** Time when each cached response was read, on the server clock, in ms. */
export const readTimes = new Map<string, number>()
