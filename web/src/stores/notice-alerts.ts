import { create } from 'zustand'
import { persist } from 'zustand/middleware'

interface NoticeAlerts {
  readonly sound: boolean
  /** Browser notifications; the browser's own permission is needed as well. */
  readonly desktop: boolean
  /** Sound of first bloods and right flags while the page is seen. */
  readonly moments: boolean
  readonly setSound: (sound: boolean) => void
  readonly setDesktop: (desktop: boolean) => void
  readonly setMoments: (moments: boolean) => void
}

/** Sounds and notifications. Everything is off until the visitor switches it on. */
export const useNoticeAlerts = create<NoticeAlerts>()(
  persist(
    (set) => ({
      sound: false,
      desktop: false,
      moments: false,
      setSound: (sound) => set({ sound }),
      setDesktop: (desktop) => set({ desktop }),
      setMoments: (moments) => set({ moments }),
    }),
    { name: 'notice-alerts', partialize: ({ sound, desktop, moments }) => ({ sound, desktop, moments }) },
  ),
)
