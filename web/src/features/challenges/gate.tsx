import type { GameDetail } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { Ban, CalendarClock, Flag, Hourglass, type LucideIcon, Undo2, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { Countdown } from '../../components/ui/time.tsx'
import { formatDateTime } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'

const icons: Readonly<Record<Exclude<GameDetail['status'], 'Accepted'>, LucideIcon>> = {
  Unsubmitted: Users,
  Pending: Hourglass,
  Rejected: Undo2,
  Suspended: Ban,
}

export function ClosedBoardNotice({ game, phase }: Readonly<{ game: GameDetail; phase: GamePhase }>) {
  const { t } = useTranslation(['challenges', 'common'])
  const { status } = game
  const team = game.teamName ?? t('challenges:gate.yourTeam')
  const toGame = (label: string, isPrimary = false) => (
    <ButtonLink to={paths.game.to(game.id)} {...(isPrimary && { variant: 'primary' as const })}>
      {label}
    </ButtonLink>
  )
  const scoreboard = <ButtonLink to={paths.scoreboard.to(game.id)}>{t('challenges:gate.toScoreboard')}</ButtonLink>
  const isClosed = phase === 'ended' && !game.practiceMode

  if (isClosed && status !== 'Suspended')
    return (
      <EmptyState
        icon={Flag}
        title={t('challenges:gate.overTitle')}
        actions={
          <>
            {toGame(t('challenges:gate.toGame'))}
            {scoreboard}
          </>
        }
      >
        {t('challenges:gate.overText')}
      </EmptyState>
    )
  if (status === 'Accepted')
    return (
      <EmptyState icon={CalendarClock} title={t('common:game.notStarted')} actions={toGame(t('challenges:gate.toGame'))}>
        <Start game={game}>{t('challenges:gate.upcomingText')}</Start>
      </EmptyState>
    )
  const mayJoin = status === 'Unsubmitted' || status === 'Rejected'
  return (
    <EmptyState
      icon={icons[status]}
      title={t(`challenges:gate.${status}`)}
      actions={
        mayJoin
          ? toGame(t(status === 'Rejected' ? 'challenges:gate.again' : 'challenges:gate.join'), true)
          : toGame(t('challenges:gate.toGame'))
      }
    >
      {t(`challenges:gate.${status}Text`, { team })}
    </EmptyState>
  )
}

function Start({ game, children }: Readonly<{ game: GameDetail; children: ReactNode }>) {
  return (
    <span className="stack gap-1">
      <Countdown until={game.start} className="figure size-32 bright" />
      <span>{formatDateTime(game.start)}</span>
      <span>{children}</span>
    </span>
  )
}
