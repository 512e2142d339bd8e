import type { GameDetail } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import { LifeBuoy, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams } from 'react-router'
import { RoleGate } from '../../components/layout/access.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import styles from '../../components/tickets/tickets.module.css'
import { Button, ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { NewTicketForm } from '../../features/tickets/new-ticket.tsx'
import { TeamTicketThread } from '../../features/tickets/team-ticket.tsx'
import { TeamTicketList } from '../../features/tickets/team-ticket-list.tsx'
import { useGame, useGameId, usePlayerBoard } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import { useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'

export function Route() {
  const { data: game } = useGame(useGameId())
  // The layout renders this page only after the game has loaded.
  return game ? (
    <RoleGate>
      <Tickets game={game} />
    </RoleGate>
  ) : null
}

function Tickets({ game }: { readonly game: GameDetail }) {
  const { t } = useTranslation('tickets')
  const hasTeam = game.status !== 'Unsubmitted' && game.status !== 'Rejected'
  if (hasTeam) return <TeamTickets game={game} />
  return (
    <PageLayout title={t('title')} hideTitle>
      <EmptyState
        icon={LifeBuoy}
        title={t('noTeamTitle')}
        actions={<ButtonLink to={paths.game.to(game.id)}>{t('noTeamAction')}</ButtonLink>}
      >
        {t('noTeamText')}
      </EmptyState>
    </PageLayout>
  )
}

function TeamTickets({ game }: { readonly game: GameDetail }) {
  const { t } = useTranslation('tickets')
  const { id } = game
  const navigate = useNavigate()
  const { get } = useQueryState()
  const { ticketId } = useParams()
  const { data: board } = usePlayerBoard(game, useNow(10_000))
  const { data, error, mutate } = useCall(ownOperations.listTeamTickets, { params: { id } })
  const isNew = ticketId === 'new'
  const challengeId = Number(get('challenge')) || undefined
  return (
    <PageLayout
      title={t('title')}
      description={t('lead')}
      actions={
        !isNew && (
          <Button variant="primary" onClick={() => navigate(paths.tickets.to(id, 'new'))}>
            <Plus aria-hidden />
            {t('new')}
          </Button>
        )
      }
    >
      <div className={styles.split} data-chosen={ticketId !== undefined}>
        <div className={cx('stack gap-3', styles.list)}>
          {data && data.length > 0 && <TeamTicketList gameId={id} tickets={data} />}
          {data?.length === 0 && (
            <EmptyState icon={LifeBuoy} title={t('emptyTitle')}>
              {t('emptyText')}
            </EmptyState>
          )}
          {!data && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines count={5} />)}
        </div>
        {isNew && (
          <NewTicketForm
            key={challengeId}
            gameId={id}
            board={board}
            challengeId={challengeId}
            onOpened={(opened) => navigate(paths.tickets.to(id, opened), { replace: true })}
            onCancel={() => navigate(paths.tickets.to(id))}
          />
        )}
        {ticketId !== undefined && !isNew && <TeamTicketThread key={ticketId} gameId={id} ticketId={ticketId} />}
      </div>
    </PageLayout>
  )
}
