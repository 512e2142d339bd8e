import type { LucideIcon } from 'lucide-react'
import { CircleCheck, CircleHelp, ContainerIcon, Hourglass, TriangleAlert, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { InstanceReason } from '../../components/challenge-health/instance-reason.tsx'
import { cx } from '../../components/ui/cx.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import styles from './desk.module.css'
import type { Concern } from './desk-figures.ts'

type ConcernsProps = Readonly<{
  gameId: number
  concerns: readonly Concern[]
  isAdmin: boolean
  isRunning: boolean
}>

export function ConcernList({ gameId, concerns, isAdmin, isRunning }: ConcernsProps) {
  const { t } = useTranslation('monitor')
  if (concerns.length === 0)
    return isRunning ? (
      <p className="line gap-3 toned toned-text padded medium" data-tone="ok" role="status">
        <CircleCheck aria-hidden />
        {t('desk.calm')}
      </p>
    ) : null
  return (
    <section aria-label={t('desk.concerns')}>
      <ul className={cx('stack gap-1', styles.concerns)}>
        {concerns.map((concern) => (
          <ConcernItem key={keyOf(concern)} gameId={gameId} concern={concern} isAdmin={isAdmin} />
        ))}
      </ul>
    </section>
  )
}

function keyOf(concern: Concern) {
  if (concern.kind === 'image') return `${concern.failure.challengeId} ${concern.failure.image}`
  return concern.kind === 'unsolved' ? `unsolved ${concern.challenge.id}` : concern.kind
}

type ConcernItemProps = Readonly<{
  gameId: number
  concern: Concern
  isAdmin: boolean
}>

function ConcernItem({ gameId, concern, isAdmin }: ConcernItemProps) {
  const { t } = useTranslation('monitor')
  switch (concern.kind) {
    case 'gateways':
      return <Item icon={Unplug} tone="bad" title={t('desk.noGateway')} text={t('desk.noGatewayText')} />
    case 'image': {
      const { challengeId, challenge, image, count, lastAt, reason, reasonCode } = concern.failure
      return (
        <Item
          icon={ContainerIcon}
          tone="bad"
          title={t('desk.imageFails', { challenge, count })}
          text={
            <>
              <InstanceReason code={reasonCode} message={reason} /> <code className="wrap-anywhere">{image}</code>
            </>
          }
          end={
            <>
              <RelativeTime at={lastAt} />
              <Link
                to={
                  isAdmin
                    ? paths.adminGameChallenge.to(gameId, challengeId, 'container')
                    : paths.challenges.to(gameId, challengeId)
                }
              >
                {t('desk.openChallenge')}
              </Link>
            </>
          }
        />
      )
    }
    case 'unsolved': {
      const { id, title, wrong, teams } = concern.challenge
      return (
        <Item
          icon={CircleHelp}
          tone="warn"
          title={t('desk.unsolved', { challenge: title })}
          text={t('desk.unsolvedText', { wrong: formatNumber(wrong), teams: formatNumber(teams) })}
          end={
            <>
              <Link to={paths.monitorSubmissions.to(gameId, { challenge: id })}>{t('desk.openFlags')}</Link>
              <Link to={isAdmin ? paths.adminGameChallenge.to(gameId, id, 'flags') : paths.challenges.to(gameId, id)}>
                {t('desk.openChallenge')}
              </Link>
            </>
          }
        />
      )
    }
    case 'cheats':
      return (
        <Item
          icon={TriangleAlert}
          tone="warn"
          title={t('desk.cheats', { count: concern.count })}
          end={<Link to={paths.monitorCheatInfo.to(gameId)}>{t('desk.openCheats')}</Link>}
        />
      )
    case 'review':
      return (
        <Item
          icon={Hourglass}
          tone="warn"
          title={t('desk.waiting', { count: concern.count })}
          text={
            concern.since && (
              <>
                {t('desk.oldestRequest')} <RelativeTime at={concern.since} />
              </>
            )
          }
          end={isAdmin && <Link to={paths.adminGameReview.to(gameId)}>{t('desk.openReview')}</Link>}
        />
      )
  }
}

type ItemProps = Readonly<{
  icon: LucideIcon
  tone: 'bad' | 'warn'
  title: string
  text?: ReactNode
  end?: ReactNode
}>

function Item({ icon: Icon, tone, title, text, end }: ItemProps) {
  return (
    <li className="toned" data-tone={tone}>
      <Icon aria-hidden />
      <div className="grow">
        <strong>{title}</strong>
        {text && <p className="muted">{text}</p>}
      </div>
      {end && <div className={cx('row muted', styles.concernEnd)}>{end}</div>}
    </li>
  )
}
