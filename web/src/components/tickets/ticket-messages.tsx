import type { TicketMessage } from '@capstan/contract/tickets'
import { useTranslation } from 'react-i18next'
import { cx } from '../ui/cx.ts'
import { RelativeTime } from '../ui/time.tsx'
import styles from './tickets.module.css'

type TicketMessagesProps = Readonly<{
  messages: readonly TicketMessage[]
  /** Side that reads the ticket: the team or the organizers. Messages of this side are aligned to the end of the line. */
  side: 'team' | 'organizers'
}>

/** Messages of a ticket, oldest first. Screen readers announce new messages. */
export function TicketMessages({ messages, side }: TicketMessagesProps) {
  const { t } = useTranslation('tickets')
  const nameOf = ({ author, isFromTeam }: TicketMessage) => author ?? (isFromTeam ? t('formerUser') : t('organizers'))
  return (
    <ol className="stack gap-3" role="log" aria-label={t('messages')}>
      {messages.map((message, index) => (
        // Messages are only appended, so the position identifies them.
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no id
        <li key={index} className={cx('frame', styles.message)} data-own={message.isFromTeam === (side === 'team')}>
          <span className="row gap-2 tiny muted">
            <b>{nameOf(message)}</b>
            <RelativeTime at={message.sentAt} />
          </span>
          <p className="typed" dir="auto">
            {message.text}
          </p>
        </li>
      ))}
    </ol>
  )
}
