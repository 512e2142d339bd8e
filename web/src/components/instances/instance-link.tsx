import type { TeamInstance } from '@capstan/contract/challenges'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useConfig } from '../../lib/config.ts'
import { formatCountdown } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { cx } from '../ui/cx.ts'
import styles from './instance-link.module.css'

interface InstanceLinkProps {
  readonly gameId: number
  readonly instance: TeamInstance
  readonly now: number
  /** With the name of who started it, not as a hint alone. */
  readonly withStarter?: boolean
  readonly className?: string | undefined
}

/** One of the team's instances in a line: its state, its challenge, the time it has left. Leads to the challenge. */
export function InstanceLink({ gameId, instance, now, withStarter, className }: InstanceLinkProps) {
  const { t } = useTranslation()
  const { renewalWindow } = useConfig()
  const { challengeId, title, state, startedBy, expectStopAt } = instance
  const left = Date.parse(expectStopAt) - now
  const tone = { Starting: 'starting', Failing: 'failing', Running: left <= renewalWindow * 60_000 ? 'soon' : 'running' }[state]
  const starter = startedBy === null ? undefined : t('game.startedBy', { name: startedBy })
  return (
    <Link to={paths.challenges.to(gameId, challengeId)} title={starter} className={cx(styles.link, className)}>
      <span className={styles.dot} data-state={tone} />
      <span className="truncate">{title}</span>
      {withStarter && starter && <span className={cx(styles.starter, 'truncate')}>{starter}</span>}
      {state === 'Running' ? (
        <b>{formatCountdown(left)}</b>
      ) : (
        <span>{state === 'Starting' ? t('game.instanceStarting') : t('game.instanceFailing')}</span>
      )}
    </Link>
  )
}
