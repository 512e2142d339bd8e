import type { TeamInstance } from '@capstan/contract/challenges'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useConfig } from '../../lib/config.ts'
import { formatCountdown } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { cx } from '../ui/cx.ts'
import styles from './instance-link.module.css'

type InstanceProps = Readonly<{
  instance: TeamInstance
  now: number
}>

type InstanceLinkProps = InstanceProps &
  Readonly<{
    gameId: number
    /** True to show the name of the teammate who started the instance. */
    withStarter?: boolean
    className?: string | undefined
  }>

/** Link to a challenge that has an instance of the team. The link shows the state, the title and the remaining time. */
export function InstanceLink({ gameId, instance, now, withStarter, className }: InstanceLinkProps) {
  const { t } = useTranslation()
  const { challengeId, title, startedBy } = instance
  const starter = startedBy === null ? undefined : t('game.startedBy', { name: startedBy })
  return (
    <Link
      to={paths.challenges.to(gameId, challengeId)}
      title={starter}
      className={cx('inline number nowrap', styles.link, className)}
    >
      <InstanceStateDot instances={[instance]} now={now} />
      <bdi className="truncate">{title}</bdi>
      {withStarter && starter && <span className="faint truncate">{starter}</span>}
      <InstanceTime instance={instance} now={now} />
    </Link>
  )
}

/** Shows the remaining time of a running instance, or the name of another state. */
export function InstanceTime({ instance: { state, expectStopAt }, now }: InstanceProps) {
  const { t } = useTranslation()
  if (state === 'Running') return <b>{formatCountdown(Date.parse(expectStopAt) - now)}</b>
  return <span>{state === 'Starting' ? t('game.instanceStarting') : t('game.instanceFailing')}</span>
}

/** Tones of instance states, worst first. */
const tones = ['bad', 'warn', 'ok'] as const

export function InstanceStateDot({ instances, now }: Readonly<{ instances: readonly TeamInstance[]; now: number }>) {
  const { renewalWindow } = useConfig()
  const toneOf = ({ state, expectStopAt }: TeamInstance) =>
    state === 'Starting'
      ? 'warn'
      : state === 'Failing'
        ? 'bad'
        : Date.parse(expectStopAt) - now <= renewalWindow * 60_000
          ? 'warn'
          : 'ok'
  const shown = instances.map(toneOf)
  return <span className="dot" data-tone={tones.find((tone) => shown.includes(tone))} />
}
