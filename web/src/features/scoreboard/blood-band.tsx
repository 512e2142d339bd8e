import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { cx } from '../../components/ui/cx.ts'
import { useHub } from '../../lib/live.ts'
import { playBloodSound } from '../../lib/notice-sound.ts'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import styles from './projector.module.css'

type FirstBlood = Readonly<{
  id: number
  team: string
  challenge: string
}>

/** Time for which a first blood is shown, in ms. */
const shownMs = 1600
/** Maximum number of queued bloods. If more bloods arrive after an outage, the oldest bloods are dropped. */
const maxQueued = 5

/** Band across the projector view. It shows the first bloods one after another. */
export function BloodBand({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('scoreboard')
  const [queue, setQueue] = useState<readonly FirstBlood[]>([])
  const shown = queue[0]
  useHub('user', gameId, {
    notice: ({ id, type, values: [team = '', challenge = ''] }) => {
      if (type !== 'FirstBlood') return
      setQueue((waiting) =>
        waiting.some((each) => each.id === id) ? waiting : [...waiting, { id, team, challenge }].slice(-maxQueued),
      )
    },
  })
  const shownId = shown?.id
  useEffect(() => {
    if (shownId === undefined) return
    if (useNoticeAlerts.getState().moments) void playBloodSound().catch(() => undefined)
    const timer = setTimeout(() => setQueue((waiting) => waiting.filter(({ id }) => id !== shownId)), shownMs)
    return () => clearTimeout(timer)
  }, [shownId])
  return (
    <div role="status" className={styles.bandPlace}>
      {shown && (
        <div key={shown.id} className={styles.band}>
          <span className={styles.bandDrop}>
            <BloodMark place={1} size={96} />
          </span>
          <span className={cx('stack gap-0 wrap-anywhere', styles.bandText)}>
            <span className={styles.bandKind}>{t('blood.FirstBlood')}</span>
            <bdi className={cx('figure', styles.bandTeam)}>{shown.team}</bdi>
            <bdi className={cx('muted', styles.bandChallenge)}>{shown.challenge}</bdi>
          </span>
        </div>
      )}
    </div>
  )
}
