import { Pause, Play } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import type { ConnectionState } from '../../lib/live.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import styles from './live-list.module.css'

type LiveControlProps = Readonly<{
  connection: ConnectionState
  isPaused: boolean
  waiting: number
  onPause: () => void
  onResume: () => void
}>

/** Shows whether the list is live, and has a button that pauses the list. The key `p` has the same effect. */
export function LiveControl({ connection, isPaused, waiting, onPause, onResume }: LiveControlProps) {
  const { t } = useTranslation(['live-list', 'common'])
  const toggle = isPaused ? onResume : onPause
  useShortcuts({ p: toggle })
  const state = connection === 'idle' ? 'connecting' : connection
  return (
    <div className="row gap-2">
      <span className={cx('inline muted small nowrap', styles.state)} data-state={isPaused ? 'paused' : state} role="status">
        {isPaused ? t('live-list:paused') : t(`common:connection.${state}`)}
      </span>
      <Button onClick={toggle} aria-pressed={isPaused} aria-keyshortcuts="p" className={styles.toggle}>
        {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
        {!isPaused
          ? t('live-list:pause')
          : waiting > 0
            ? t('live-list:resumeWith', { count: waiting, number: formatNumber(waiting) })
            : t('live-list:resume')}
      </Button>
    </div>
  )
}

type OlderNoteProps = Readonly<{
  /** Index of the first entry on the page. */
  skip: number
  count: number
  onNewest: () => void
}>

/** Note on an older page of a live list. It shows the numbers of the visible entries, and a button that opens the live page. */
export function OlderPageNote({ skip, count, onNewest }: OlderNoteProps) {
  const { t } = useTranslation('live-list')
  return (
    <div className="row gap-2">
      <span className="muted small number">{t('older', { from: formatNumber(skip + 1), to: formatNumber(skip + count) })}</span>
      <Button onClick={onNewest}>{t('newest')}</Button>
    </div>
  )
}
