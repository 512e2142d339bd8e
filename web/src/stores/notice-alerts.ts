import { create } from 'zustand'
import { persist } from 'zustand/middleware'

interface NoticeAlerts {
  readonly sound: boolean
  /** Browser notifications; the browser's own permission is needed as well. */
  readonly desktop: boolean
  readonly setSound: (sound: boolean) => void
  readonly setDesktop: (desktop: boolean) => void
}

/** How the visitor hears of notices while the page is hidden. Everything is off until they switch it on. */
export const useNoticeAlerts = create<NoticeAlerts>()(
  persist(
    (set) => ({
      sound: false,
      desktop: false,
      setSound: (sound) => set({ sound }),
      setDesktop: (desktop) => set({ desktop }),
    }),
    { name: 'notice-alerts', partialize: ({ sound, desktop }) => ({ sound, desktop }) },
  ),
)
