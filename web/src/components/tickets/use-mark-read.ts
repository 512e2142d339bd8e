import { useEffect, useRef } from 'react'

/** Calls `markRead` once for each number of messages while the ticket is unread and the page is visible. */
export function useMarkRead(isUnread: boolean, messageCount: number, markRead: () => Promise<unknown>): void {
  const latest = useRef(markRead)
  latest.current = markRead
  useEffect(() => {
    if (!isUnread || messageCount === 0) return
    const mark = () => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', mark)
      // A lost mark only shows the ticket as unread again.
      latest.current().catch(() => undefined)
    }
    document.addEventListener('visibilitychange', mark)
    mark()
    return () => document.removeEventListener('visibilitychange', mark)
  }, [isUnread, messageCount])
}
