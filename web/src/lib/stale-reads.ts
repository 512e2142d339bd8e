import { create } from 'zustand'

interface StaleRead {
  /** When the answer that is shown came, milliseconds of the clock; undefined: on an earlier visit, nobody knows when. */
  readonly readAt: number | undefined
  readonly retry: () => unknown
}

interface StaleReads {
  /** By who shows them. */
  readonly reads: ReadonlyMap<string, StaleRead>
  readonly add: (id: string, read: StaleRead) => void
  readonly remove: (id: string) => void
}

/** Answers on the page that could not be read again. */
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

/** When each answer of the cache came, milliseconds of the clock. */
export const readTimes = new Map<string, number>()
