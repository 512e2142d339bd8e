import type { Ticket } from '@capstan/contract/tickets'
import { useTranslation } from 'react-i18next'
import { NavLink } from 'react-router'
import { Badge } from '../../components/ui/badge.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'

type TicketQueueProps = Readonly<{
  tickets: readonly Ticket[]
  addressOf: (ticketId: string) => string
}>

/** Tickets of all teams. Tickets that wait for an answer are first. */
export function TicketQueue({ tickets, addressOf }: TicketQueueProps) {
  const { t } = useTranslation('tickets')
  return (
    <ul className="frame clip divided" aria-label={t('title')}>
      {tickets.map((ticket) => (
        <li key={ticket.id}>
          <NavLink to={addressOf(ticket.id)} className="stack gap-1 entry">
            <span className="row gap-2">
              <strong className="grow truncate" dir="auto">
                {ticket.subject}
              </strong>
              {ticket.isUnread && <Badge tone="brand">{t('desk.unread')}</Badge>}
              {!ticket.isUnread && ticket.isWaiting && !ticket.isClosed && <Badge tone="warn">{t('desk.waiting')}</Badge>}
            </span>
            <span className="row gap-2 tiny muted">
              <span className="grow truncate">
                <bdi>{ticket.team}</bdi>
                {ticket.challengeTitle !== null && (
                  <>
                    {' · '}
                    <bdi>{ticket.challengeTitle}</bdi>
                  </>
                )}
              </span>
              <RelativeTime at={ticket.updatedAt} />
            </span>
            {ticket.assignee && <span className="tiny muted">{t('desk.assignedTo', { name: ticket.assignee.name })}</span>}
          </NavLink>
        </li>
      ))}
    </ul>
  )
}
