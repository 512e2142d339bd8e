import type { EventType } from '@capstan/contract/games'
import type { MonitoredEvent } from '@capstan/contract/monitor'
import type { AnswerResult } from '@capstan/contract/submissions'
import { Flag, type LucideIcon, MessageSquare, Play, Square, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import { type Column, DataTable } from '../../components/ui/data-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { parseGameEventValues } from './feed.ts'
import { LinkedName, useMonitorLinks } from './links.tsx'
import { useTimestampColumn } from './moment.tsx'
import styles from './monitor.module.css'
import { isSubmissionStatus, SubmissionStatusBadge } from './status-badge.tsx'

const icons: Readonly<Record<EventType, LucideIcon>> = {
  Normal: MessageSquare,
  ContainerStart: Play,
  ContainerDestroy: Square,
  FlagSubmit: Flag,
  CheatDetected: TriangleAlert,
}

function keyOf({ id }: MonitoredEvent) {
  return id
}
function rowProps({ type }: MonitoredEvent) {
  return { 'data-type': type }
}

type EventTableProps = Readonly<{
  gameId: number
  events: readonly MonitoredEvent[]
}>

export function EventTable({ gameId, events }: EventTableProps) {
  const { t } = useTranslation('monitor')
  const links = useMonitorLinks(gameId)
  const momentColumn = useTimestampColumn()
  const columns: readonly Column<MonitoredEvent>[] = [
    momentColumn(t('event.time'), ({ time }) => time),
    {
      head: t('event.filter'),
      bare: true,
      className: styles.kind,
      width: '1px',
      cell: ({ type }) => {
        const Icon = icons[type]
        return <Icon role="img" aria-label={t(`event.type.${type}`)} />
      },
    },
    {
      head: t('event.who'),
      kind: 'name',
      bare: true,
      className: cx('wrap-anywhere', styles.who),
      width: '30%',
      cell: ({ team, teamId, user }) => (
        <>
          {team && (
            <span>
              <LinkedName to={teamId === null ? undefined : links.team(teamId)}>{team}</LinkedName>
            </span>
          )}
          {user && (
            <span className={team ? 'small muted' : undefined}>
              <LinkedName to={links.user(user)}>{user}</LinkedName>
            </span>
          )}
        </>
      ),
    },
    {
      head: t('event.what'),
      bare: true,
      cell: (event) => (
        <EventText event={event} to={event.challengeId === null ? undefined : links.challenge(event.challengeId)} />
      ),
    },
  ]
  return (
    <DataTable
      label={t('event.list')}
      columns={columns}
      rows={events}
      keyOf={keyOf}
      rowProps={rowProps}
      dense
      hideHead
      className={styles.events}
    />
  )
}

type EventTextProps = Readonly<{
  event: MonitoredEvent
  to: string | undefined
}>

function EventText({ event, to }: EventTextProps) {
  const { t } = useTranslation('monitor')
  const facts = parseGameEventValues(event)
  switch (facts.kind) {
    case 'flag':
      return (
        <span className="row gap-2">
          {isSubmissionStatus(facts.result) && <SubmissionStatusBadge status={facts.result satisfies AnswerResult} />}
          <strong className="medium">
            <LinkedName to={to}>{facts.challenge}</LinkedName>
          </strong>
          <code className="muted wrap-anywhere">{facts.flag}</code>
        </span>
      )
    case 'cheat':
      return (
        <span className="row gap-2">
          <span>{t('event.cheated', { owner: facts.owner })}</span>
          <strong className="medium">
            <LinkedName to={to}>{facts.challenge}</LinkedName>
          </strong>
        </span>
      )
    case 'hint':
      return (
        <span className="row gap-2">
          <span className="muted">{t('event.boughtHint', { points: formatNumber(facts.price) })}</span>
          <strong className="medium">
            <LinkedName to={to}>{facts.challenge}</LinkedName>
          </strong>
        </span>
      )
    case 'start':
    case 'destroy':
      return (
        <span className="row gap-2">
          <span className="muted">{t(facts.kind === 'start' ? 'event.started' : 'event.destroyed')}</span>
          <strong className="medium">
            <LinkedName to={to}>{facts.challenge}</LinkedName>
          </strong>
        </span>
      )
    default:
      return <span className="wrap-anywhere">{facts.text}</span>
  }
}
