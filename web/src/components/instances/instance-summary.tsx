import type { TeamInstance } from '@capstan/contract/challenges'
import { useTranslation } from 'react-i18next'
import { formatCountdown } from '../../lib/format.ts'
import { cx } from '../ui/cx.ts'
import { createLazyMenu } from '../ui/lazy-menu.tsx'
import styles from './instance-link.module.css'
import { InstanceStateDot } from './instance-link.tsx'

const InstanceMenu = createLazyMenu(() => import('./instance-menu.tsx').then((file) => file.InstanceMenu))

type InstanceSummaryProps = Readonly<{
  gameId: number
  instances: readonly TeamInstance[]
  now: number
  className?: string | undefined
}>

/** Summary of the team's instances: their number, the worst state, and the time until the first instance expires. */
export function InstanceSummary({ gameId, instances, now, className }: InstanceSummaryProps) {
  const { t } = useTranslation()
  const endsFirst = Math.min(...instances.map(({ expectStopAt }) => Date.parse(expectStopAt)))
  return (
    <InstanceMenu
      gameId={gameId}
      instances={instances}
      trigger={
        <button type="button" className={cx('inline number nowrap', styles.link, className)}>
          <InstanceStateDot instances={instances} now={now} />
          <span className="truncate">{t('game.instanceCount', { count: instances.length })}</span> ·{' '}
          <b>{formatCountdown(endsFirst - now)}</b>
        </button>
      }
    />
  )
}
