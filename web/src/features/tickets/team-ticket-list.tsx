import type { TeamTicket } from '@capstan/contract/tickets'
import { useTranslation } from 'react-i18next'
import { NavLink } from 'react-router'
import { Badge } from '../../components/ui/badge.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { paths } from '../../lib/paths.ts'

type TeamTicketListProps = Readonly<{
  gameId: number
  tickets: readonly TeamTicket[]
}>

export function TeamTicketList({ gameId, tickets }: TeamTicketListProps) {
  const { t } = useTranslation('tickets')
  return (
    <ul className="frame clip divided" aria-label={t('title')}>
      {tickets.map((ticket) => (
        <li key={ticket.id}>
          <NavLink to={paths.tickets.to(gameId, ticket.id)} className="stack gap-1 entry">
            <span className="row gap-2">
              <strong className="grow truncate" dir="auto">
                {ticket.subject}
              </strong>
              {ticket.isUnread && <Badge tone="brand">{t('unread')}</Badge>}
              {ticket.isClosed && <Badge>{t('closed')}</Badge>}
            </span>
            <span className="row gap-2 tiny muted">
              <bdi className="grow truncate">{ticket.challengeTitle ?? t('aboutGame')}</bdi>
              <RelativeTime at={ticket.updatedAt} />
            </span>
          </NavLink>
        </li>
      ))}
    </ul>
  )
}
