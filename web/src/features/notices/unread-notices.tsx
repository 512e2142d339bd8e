import type { GameNotice } from '@capstan/contract/games'
import { Check } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { useReadNotices } from '../../stores/read-notices.ts'
import { NoticeEntry } from './notice-list.tsx'

type UnreadNoticesProps = Readonly<{
  /** Unread announcements, newest first. */
  notices: readonly GameNotice[]
  /** Id of the newest notice at the time when the page opened. Later notices are marked as new. */
  newestBefore: number
  userId: string
  /** Function that moves the focus. It is called when the last button disappears. */
  onEmptied: () => void
}>

/** List of unread announcements. It is at the top of the page until the user marks the announcements as read. */
export function UnreadNotices({ notices, newestBefore, userId, onEmptied }: UnreadNoticesProps) {
  const { t } = useTranslation('notices')
  const markRead = useReadNotices((state) => state.add)
  const list = useRef<HTMLOListElement>(null)
  const dismiss = (id: number) => {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('[data-read]') ?? [])]
    const at = notices.findIndex((notice) => notice.id === id)
    const next = buttons[at + 1] ?? buttons[at - 1]
    if (next) next.focus()
    else onEmptied()
    markRead(userId, [id])
  }
  const dismissAll = () => {
    onEmptied()
    markRead(
      userId,
      notices.map(({ id }) => id),
    )
  }
  return (
    <section className="stack gap-3 below-6" aria-labelledby="unread-notices">
      <div className="row row-between">
        <h2 id="unread-notices" className="muted small">
          {t('unread.title')}
        </h2>
        {notices.length > 1 && (
          <Button size="small" variant="ghost" onClick={dismissAll}>
            {t('unread.readAll')}
          </Button>
        )}
      </div>
      <ol ref={list} className="frame clip divided">
        {notices.map((notice) => (
          <NoticeEntry
            key={notice.id}
            notice={notice}
            fresh={notice.id > newestBefore}
            action={
              <Button size="small" data-read={notice.id} onClick={() => dismiss(notice.id)}>
                <Check aria-hidden />
                {t('unread.read')}
              </Button>
            }
          />
        ))}
      </ol>
    </section>
  )
}
