import type { EventType, GameEvent } from '@capstan/contract/games'
import type { AnswerResult } from '@capstan/contract/submissions'
import { Flag, type LucideIcon, MessageSquare, Play, Square, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { withKeys } from '../../components/live-list/tail.ts'
import { type Column, DataTable } from '../../components/ui/data-table.tsx'
import { eventKey, factsOf } from './feed.ts'
import { momentColumn } from './moment.tsx'
import styles from './monitor.module.css'
import { isAnswerResult, StatusBadge } from './status-badge.tsx'

const icons: Readonly<Record<EventType, LucideIcon>> = {
  Normal: MessageSquare,
  ContainerStart: Play,
  ContainerDestroy: Square,
  FlagSubmit: Flag,
  CheatDetected: TriangleAlert,
}

type Keyed = ReturnType<typeof withKeys<GameEvent>>[number]
const keyOf = ({ key }: Keyed) => key
const rowProps = ({ entry }: Keyed) => ({ 'data-type': entry.type })

export function EventTable({ events }: { readonly events: readonly GameEvent[] }) {
  const { t } = useTranslation('monitor')
  const columns: readonly Column<Keyed>[] = [
    momentColumn(t('event.time'), ({ entry }) => entry.time),
    {
      head: t('event.filter'),
      bare: true,
      className: styles.kind,
      cell: ({ entry: { type } }) => {
        const Icon = icons[type]
        return <Icon role="img" aria-label={t(`event.type.${type}`)} />
      },
    },
    {
      head: t('event.who'),
      kind: 'name',
      bare: true,
      className: styles.who,
      cell: ({ entry: { team, user } }) => (
        <>
          {team && <span>{team}</span>}
          {user && <span className={team ? 'small muted' : undefined}>{user}</span>}
        </>
      ),
    },
    { head: t('event.what'), bare: true, cell: ({ entry }) => <EventText event={entry} /> },
  ]
  return (
    <DataTable
      label={t('event.list')}
      columns={columns}
      rows={withKeys(events, eventKey)}
      keyOf={keyOf}
      rowProps={rowProps}
      dense
      hideHead
      className={styles.events}
    />
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
