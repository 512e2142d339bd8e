import type { GameNotice } from '@capstan/contract/games'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { playBloodSound, playNoticeSound } from '../../lib/notice-sound.ts'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import { bloodPlace } from '../ui/blood-shape.ts'
import { toast } from '../ui/toast.ts'
import { type NoticeWords, wordsOf } from './notice-words.ts'

interface NoticeAlert {
  readonly notice: GameNotice
  readonly gameTitle: string
  /** The visitor's team and the challenge that is open, which says itself that it was solved. */
  readonly told: { readonly team: string | null; readonly challenge: string } | null
  /** Shows the notices of the game. */
  readonly onOpen: () => void
  /** Name of the button that does. */
  readonly openLabel: string
}

/** Tells of a new notice: in the page while it is seen, else by what the visitor allowed. */
export async function alertNotice(alert: NoticeAlert): Promise<void> {
  const { notice, told } = alert
  const isVisible = document.visibilityState === 'visible'
  const isBlood = bloodTypes.some((type) => type === notice.type)
  const [team, challenge] = notice.values
  if (isVisible && isBlood && told && team === told.team && challenge === told.challenge) return
  const words = await wordsOf(notice)
  if (isVisible) {
    inPage(alert, words)
    if (notice.type === 'FirstBlood' && useNoticeAlerts.getState().moments) await playBloodSound().catch(() => undefined)
    return
  }
  const { sound, desktop } = useNoticeAlerts.getState()
  if (desktop) onDesktop(alert, words)
  if (sound) await playNoticeSound().catch(() => undefined)
}

function inPage({ notice, onOpen, openLabel }: NoticeAlert, { title, text }: NoticeWords): void {
  const blood = bloodPlace(notice.type)
  // A first blood is news for every player; a second or third one is quieter and leaves sooner.
  if (blood) return void toast({ blood, title, text, lastsMs: blood === 1 ? 6000 : 4000 })
  toast({ tone: 'info', title, text, action: { label: openLabel, run: onOpen }, lastsMs: 8000 })
}

function onDesktop({ notice, gameTitle, onOpen }: NoticeAlert, { title, text }: NoticeWords): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return
  // The tag lets several tabs of a game tell of a notice once.
  const shown = new Notification(`${title} · ${gameTitle}`, { body: text, tag: `notice-${notice.id}`, icon: '/favicon.webp' })
  shown.onclick = () => {
    window.focus()
    onOpen()
    shown.close()
  }
}
