import type { EventType, GameEvent } from '@capstan/contract/games'
import type { AnswerResult } from '@capstan/contract/submissions'
import { Flag, type LucideIcon, MessageSquare, Play, Square, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { withKeys } from '../../components/live-list/tail.ts'
import { Table } from '../../components/ui/table.tsx'
import { eventKey, factsOf } from './feed.ts'
import { MomentCell } from './moment.tsx'
import styles from './monitor.module.css'
import { isAnswerResult, StatusBadge } from './status-badge.tsx'

const icons: Readonly<Record<EventType, LucideIcon>> = {
  Normal: MessageSquare,
  ContainerStart: Play,
  ContainerDestroy: Square,
  FlagSubmit: Flag,
  CheatDetected: TriangleAlert,
}

export function EventTable({ events }: { readonly events: readonly GameEvent[] }) {
  const { t } = useTranslation('monitor')
  return (
    <Table label={t('event.list')} dense className={styles.events}>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{t('event.time')}</th>
          <th scope="col">{t('event.filter')}</th>
          <th scope="col">{t('event.who')}</th>
          <th scope="col">{t('event.what')}</th>
        </tr>
      </thead>
      <tbody>
        {withKeys(events, eventKey).map(({ key, entry }) => (
          <EventRow key={key} event={entry} />
        ))}
      </tbody>
    </Table>
  )
}

function EventRow({ event }: { readonly event: GameEvent }) {
  const { t } = useTranslation('monitor')
  const Icon = icons[event.type]
  return (
    <tr data-type={event.type}>
      <MomentCell at={event.time} />
      <td className={styles.kind}>
        <Icon role="img" aria-label={t(`event.type.${event.type}`)} />
      </td>
      <th scope="row" className={styles.who}>
        {event.team && <span>{event.team}</span>}
        {event.user && <span className={event.team ? 'small muted' : undefined}>{event.user}</span>}
      </th>
      <td>
        <EventText event={event} />
      </td>
    </tr>
  )
}

function EventText({ event }: { readonly event: GameEvent }) {
  const { t } = useTranslation('monitor')
  const facts = factsOf(event)
  switch (facts.kind) {
    case 'flag':
      return (
        <span className={styles.sentence}>
          {isAnswerResult(facts.result) && <StatusBadge status={facts.result satisfies AnswerResult} />}
          <strong>{facts.challenge}</strong>
          <code className="wrap-anywhere">{facts.flag}</code>
        </span>
      )
    case 'cheat':
      return (
        <span className={styles.sentence}>
          <span>{t('event.cheated', { owner: facts.owner })}</span>
          <strong>{facts.challenge}</strong>
        </span>
      )
    case 'start':
    case 'destroy':
      return (
        <span className={styles.sentence}>
          <span className="muted">{t(facts.kind === 'start' ? 'event.started' : 'event.destroyed')}</span>
          <strong>{facts.challenge}</strong>
        </span>
      )
    default:
      return <span className="wrap-anywhere">{facts.text}</span>
  }
}
