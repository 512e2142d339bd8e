import { create } from 'zustand'
import { persist } from 'zustand/middleware'

interface NoticeAlerts {
  readonly sound: boolean
  /** True for browser notifications, which also need the browser's permission. */
  readonly desktop: boolean
  /** True for sounds of first bloods and accepted flags while the page is visible. */
  readonly moments: boolean
  readonly setSound: (sound: boolean) => void
  readonly setDesktop: (desktop: boolean) => void
  readonly setMoments: (moments: boolean) => void
}

/** Sounds and notifications. All are off by default. */
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
