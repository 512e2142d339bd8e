import type { GameDetail } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import {
  Ban,
  CalendarClock,
  CalendarX2,
  CircleCheck,
  CircleX,
  Clock,
  FileUp,
  Flag,
  FlagTriangleRight,
  Hourglass,
  LogIn,
  type LucideIcon,
  Settings2,
  Trophy,
  UsersRound,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { Button, ButtonAnchor, ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { formatDateTime } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import type { StepKind } from './next-step.ts'
import styles from './overview.module.css'
import { resultsAnchor } from './writeup-anchor.ts'

type NextStepBarProps = Readonly<{
  game: GameDetail
  phase: GamePhase
  step: StepKind
  writeup: string
  onJoin: () => void
  onLeave: () => void
}>

export function NextStepBar({ game, phase, step, writeup, onJoin, onLeave }: NextStepBarProps) {
  const { t } = useTranslation(['games', 'common'])
  const { pathname } = useLocation()
  const team = game.teamName ?? ''
  const leave = (
    <Button variant="ghost" onClick={onLeave}>
      {t('games:step.leave')}
    </Button>
  )
  const results = (label: string, variant: 'primary' | 'secondary' = 'primary') => (
    <ButtonAnchor variant={variant} href={`#${resultsAnchor}`}>
      {label}
    </ButtonAnchor>
  )
  const challenges = (label: string, variant: 'primary' | 'secondary' = 'primary') => (
    <ButtonLink variant={variant} to={paths.challenges.to(game.id)}>
      {label}
    </ButtonLink>
  )
  switch (step) {
    case 'unknown':
      return (
        <div className={cx('row', styles.step)} aria-hidden>
          <Skeleton width="34px" height="34px" round />
          <span className="grow stack gap-1">
            <Skeleton width="180px" height="18px" />
            <Skeleton width="320px" height="14px" />
          </span>
          <Skeleton width="110px" height="36px" />
        </div>
      )
    case 'visitor':
      return (
        <Bar
          icon={LogIn}
          tone="brand"
          title={t('games:step.visitor.title')}
          actions={
            <>
              <ButtonLink to={paths.login.to(pathname)}>{t('common:action.logIn')}</ButtonLink>
              <ButtonLink variant="primary" to={paths.register.to(pathname)}>
                {t('common:action.register')}
              </ButtonLink>
            </>
          }
        >
          {phase === 'ended' ? t('games:step.visitor.over') : t('games:step.visitor.text')}
        </Bar>
      )
    case 'manage':
      return (
        <Bar
          icon={Settings2}
          tone="brand"
          title={t('games:step.manage.title')}
          actions={
            <ButtonLink variant="primary" to={paths.adminGame.to(game.id)}>
              {t('games:step.manage.action')}
            </ButtonLink>
          }
        >
          {t('games:step.manage.text')}
        </Bar>
      )
    case 'team':
      return (
        <Bar
          icon={UsersRound}
          tone="brand"
          title={t('games:step.team.title')}
          actions={
            <>
              <ButtonLink to={paths.teams.to(game.id)}>{t('games:step.team.code')}</ButtonLink>
              <Button variant="primary" onClick={onJoin}>
                {t('games:step.team.action')}
              </Button>
            </>
          }
        >
          {t('games:step.team.text')}
        </Bar>
      )
    case 'join':
      return (
        <Bar
          icon={Flag}
          tone="brand"
          title={t('games:step.join.title')}
          actions={
            <Button variant="primary" onClick={onJoin}>
              {t('games:step.join.action')}
            </Button>
          }
        >
          {game.freePlaces === 0 ? t('games:step.join.full') : t(`games:step.join.${phase === 'ended' ? 'practice' : phase}`)}
        </Bar>
      )
    case 'early':
      return (
        <Bar
          icon={CalendarClock}
          tone="neutral"
          title={t('games:step.early.title')}
          actions={<ButtonLink to={paths.teams.to(game.id)}>{t('games:step.early.action')}</ButtonLink>}
        >
          {t('games:step.early.text', { at: formatDateTime(game.registrationOpens ?? 0) })}
        </Bar>
      )
    case 'late':
      return (
        <Bar icon={CalendarX2} tone="neutral" title={t('games:step.late.title')}>
          {t('games:step.late.text', { at: formatDateTime(game.registrationCloses ?? 0) })}
        </Bar>
      )
    case 'pending':
      return (
        <Bar icon={Hourglass} tone="warn" title={t('games:step.pending.title')} actions={leave}>
          {t('games:step.pending.text', { team })}
        </Bar>
      )
    case 'waiting':
      return (
        <Bar
          icon={Hourglass}
          tone="warn"
          title={t('games:step.waiting.title', { place: game.waitingPlace ?? 0 })}
          actions={leave}
        >
          {t('games:step.waiting.text', { team })}
        </Bar>
      )
    case 'rejected':
      return (
        <Bar
          icon={CircleX}
          tone="bad"
          title={t('games:step.rejected.title')}
          actions={
            <>
              {leave}
              <Button variant="primary" onClick={onJoin}>
                {t('games:step.rejected.action')}
              </Button>
            </>
          }
        >
          {t('games:step.rejected.text', { team })}
        </Bar>
      )
    case 'rejectedClosed':
      return (
        <Bar
          icon={CircleX}
          tone="bad"
          title={t('games:step.rejected.title')}
          actions={
            <>
              {leave}
              {results(t('games:step.closed.action'), 'secondary')}
            </>
          }
        >
          {t('games:step.rejected.closed', { team })}
        </Bar>
      )
    case 'rejectedLate':
      return (
        <Bar icon={CircleX} tone="bad" title={t('games:step.rejected.title')} actions={leave}>
          {t('games:step.rejected.late', { team })}
        </Bar>
      )
    case 'suspended':
      return (
        <Bar icon={Ban} tone="bad" title={t('games:step.suspended.title')}>
          {t('games:step.suspended.text', { team })}
        </Bar>
      )
    case 'ready':
      return (
        <Bar icon={Clock} tone="ok" title={t('games:step.ready.title')}>
          {t('games:step.ready.text', { team })}
        </Bar>
      )
    case 'play':
      return (
        <Bar icon={CircleCheck} tone="ok" title={t('games:step.play.title')} actions={challenges(t('games:step.play.action'))}>
          {t('games:step.play.text', { team })}
        </Bar>
      )
    case 'practice':
      return (
        <Bar
          icon={FlagTriangleRight}
          tone="neutral"
          title={t('games:step.practice.title')}
          actions={challenges(t('games:step.practice.action'))}
        >
          {t('games:step.practice.text', { team })}
        </Bar>
      )
    case 'writeup':
      return (
        <Bar
          icon={FileUp}
          tone="brand"
          title={t('games:step.writeup.title')}
          actions={
            <>
              {game.practiceMode
                ? challenges(t('games:step.practice.action'), 'secondary')
                : results(t('games:step.done.action'), 'secondary')}
              <ButtonAnchor variant="primary" href={writeup}>
                {t('games:step.writeup.action')}
              </ButtonAnchor>
            </>
          }
        >
          {t('games:step.writeup.text', { team })}
        </Bar>
      )
    case 'done':
      return (
        <Bar icon={Trophy} tone="neutral" title={t('games:step.done.title')} actions={results(t('games:step.done.action'))}>
          {t('games:step.done.text', { team })}
        </Bar>
      )
    case 'closed':
      return (
        <Bar icon={Trophy} tone="neutral" title={t('games:step.closed.title')} actions={results(t('games:step.closed.action'))}>
          {t('games:step.closed.text')}
        </Bar>
      )
  }
}

type BarProps = Readonly<{
  icon: LucideIcon
  tone: 'brand' | 'ok' | 'warn' | 'bad' | 'neutral'
  title: string
  children: ReactNode
  actions?: ReactNode
}>

function Bar({ icon: Icon, tone, title, children, actions }: BarProps) {
  const { t } = useTranslation('games')
  return (
    <section className={cx('row', styles.step)} data-tone={tone} aria-label={t('step.label')}>
      <span className={styles.stepIcon}>
        <Icon aria-hidden />
      </span>
      <div className={cx('stack gap-0', styles.stepText)} role="status">
        <h2 className="size-16">{title}</h2>
        <p className="size-16 wrap-anywhere">{children}</p>
      </div>
      {actions && <div className={cx('row gap-2 row-end end', styles.stepActions)}>{actions}</div>}
    </section>
  )
}
