import type { GameNotice } from '@capstan/contract/games'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { playBloodSound, playNoticeSound } from '../../lib/notice-sound.ts'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import { useReadNotices } from '../../stores/read-notices.ts'
import { idsOfUser } from '../../stores/user-ids.ts'
import { bloodPlace } from '../ui/blood-shape.ts'
import { showToast, useToasts } from '../ui/toast.ts'
import { type NoticeWords, toPlainNoticeText } from './notice-words.ts'

type NoticeAlert = Readonly<{
  notice: GameNotice
  gameTitle: string
  /**
   * Challenge whose dialog is open, and the visitor's team. The dialog already shows a solve by this team, so a notice about the
   * solve causes no alert.
   */
  openChallenge: Readonly<{ team: string | null; challenge: string }> | null
  userId: string
  /** Opens the challenge that the notice is about. If there is none, opens the list of notices of the game. */
  onOpen: () => void
  openLabel: string
}>

/**
 * Alerts the visitor to a new notice. If the page is visible, the alert is in the page. Otherwise it is a sound and a browser
 * notification, if the visitor has enabled them.
 */
export async function alertVisitorToNotice(alert: NoticeAlert): Promise<void> {
  const { notice, openChallenge } = alert
  const isVisible = document.visibilityState === 'visible'
  const isBlood = bloodTypes.some((type) => type === notice.type)
  const [team, challenge] = notice.values
  if (isVisible && isBlood && openChallenge && team === openChallenge.team && challenge === openChallenge.challenge) return
  const words = await toPlainNoticeText(notice)
  if (isVisible) {
    inPage(alert, words)
    if (notice.type === 'FirstBlood' && useNoticeAlerts.getState().moments) await playBloodSound().catch(() => undefined)
    return
  }
  const { sound, desktop } = useNoticeAlerts.getState()
  if (desktop) onDesktop(alert, words)
  if (sound) await playNoticeSound().catch(() => undefined)
}

function inPage(alert: NoticeAlert, words: NoticeWords): void {
  const { notice, onOpen, openLabel } = alert
  if (notice.type === 'Normal') return void announcementInPage(alert, words)
  const { title, text } = words
  const blood = bloodPlace(notice.type)
  // A first blood matters to every player. A second or third blood has a quieter and shorter alert.
  if (blood) return void showToast({ blood, title, text, lastsMs: blood === 1 ? 6000 : 4000 })
  showToast({ tone: 'info', title, text, action: { label: openLabel, run: onOpen }, lastsMs: 8000 })
}

/** Shows an announcement until the user dismisses it or reads it elsewhere. Dismissing marks it as read. */
function announcementInPage({ notice, userId, onOpen, openLabel }: NoticeAlert, { title, text }: NoticeWords): void {
  const { add } = useReadNotices.getState()
  const shown = showToast({
    tone: 'info',
    title,
    text,
    lastsMs: Number.POSITIVE_INFINITY,
    action: { label: openLabel, run: onOpen },
    onDismiss: () => add(userId, [notice.id]),
  })
  const stop = useReadNotices.subscribe((state) => {
    if (!idsOfUser(state, userId).includes(notice.id)) return
    stop()
    useToasts.getState().remove(shown)
  })
}

function onDesktop({ notice, gameTitle, onOpen }: NoticeAlert, { title, text }: NoticeWords): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return
  // The tag prevents a second notification if several tabs show the game.
  const shown = new Notification(`${title} · ${gameTitle}`, { body: text, tag: `notice-${notice.id}`, icon: '/favicon.webp' })
  shown.onclick = () => {
    window.focus()
    onOpen()
    shown.close()
  }
}
