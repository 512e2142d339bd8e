import { useSyncExternalStore } from 'react'

const watchOnline = (changed: () => void) => {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
  }
}

/** False while the browser knows that it is offline. */
export const useOnline = (): boolean => useSyncExternalStore(watchOnline, () => navigator.onLine)
