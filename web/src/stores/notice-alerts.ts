import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type NoticeAlerts = Readonly<{
  sound: boolean
  /** True to show browser notifications. The browser must also permit them. */
  desktop: boolean
  /** True to play sounds for first bloods and accepted flags while the page is visible. */
  moments: boolean
  setSound: (sound: boolean) => void
  setDesktop: (desktop: boolean) => void
  setMoments: (moments: boolean) => void
}>

/** Store of the settings for sounds and browser notifications. All are off by default. */
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
