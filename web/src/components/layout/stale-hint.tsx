import { CloudOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { serverNow } from '../../lib/clock.ts'
import { formatDateTime, formatTime } from '../../lib/format.ts'
import { useStaleReads } from '../../lib/stale-reads.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { useAction } from '../ui/form.ts'
import { useIsOnline } from './online.ts'
import styles from './shell.module.css'

const halfDayMs = 12 * 3_600_000

/** Hint that some content could not be refreshed. It floats above the page, so that nothing moves. */
export function StaleHint() {
  const { t } = useTranslation()
  const reads = useStaleReads((store) => store.reads)
  const isOnline = useIsOnline()
  const retry = useAction(() => Promise.all([...reads.values()].map((read) => read.retry())))
  // While the browser is offline, the page shows the offline hint and not this hint.
  if (reads.size === 0 || !isOnline) return null
  const times = [...reads.values()].flatMap(({ readAt }) => readAt ?? [])
  const oldest = times.length === reads.size ? Math.min(...times) : undefined
  const isRecent = oldest !== undefined && serverNow() - oldest < halfDayMs
  return (
    <div role="status" className={cx('line gap-3 float small', styles.stale)}>
      <CloudOff aria-hidden />
      <span>
        {oldest === undefined
          ? t('error.staleUnknown')
          : t('error.stale', { time: isRecent ? formatTime(oldest) : formatDateTime(oldest) })}
      </span>
      <Button size="small" busy={retry.busy} onClick={() => void retry.run()}>
        {t('action.retry')}
      </Button>
    </div>
  )
}
