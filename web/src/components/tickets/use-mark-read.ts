import { useEffect, useRef } from 'react'

/** Marks an unread ticket as read once the page is visible, and again after each new message. */
export function useMarkTicketRead(isUnread: boolean, messageCount: number, markRead: () => Promise<unknown>): void {
  const latest = useRef(markRead)
  latest.current = markRead
  useEffect(() => {
    if (!isUnread || messageCount === 0) return
    const mark = () => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', mark)
      // Ignore a failed call, because its only effect is that the ticket remains unread.
      latest.current().catch(() => undefined)
    }
    document.addEventListener('visibilitychange', mark)
    mark()
    return () => document.removeEventListener('visibilitychange', mark)
  }, [isUnread, messageCount])
}
