import type { LogEntry, LogLevel } from '@capstan/contract/admin'
import { CircleAlert, Info, type LucideIcon, OctagonX, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { addUniqueKeysToEntries } from '../../components/live-list/tail.ts'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, DataList, type Order, type RowsRead } from '../../components/ui/data-table.tsx'
import { formatExactTime, formatListTime } from '../../lib/format.ts'
import { keyOfLogEntry } from './log-filter.ts'
import styles from './logs.module.css'

type Look = Readonly<{
  tone: BadgeTone
  Icon: LucideIcon
  level: LogLevel
}>

const looks: Readonly<Record<string, Look>> = {
  Information: { tone: 'neutral', Icon: Info, level: 'Information' },
  Warning: { tone: 'warn', Icon: TriangleAlert, level: 'Warning' },
  Error: { tone: 'bad', Icon: CircleAlert, level: 'Error' },
  Fatal: { tone: 'bad', Icon: OctagonX, level: 'Fatal' },
}

const statusTones: Readonly<Record<string, BadgeTone>> = { Failed: 'bad', Denied: 'bad', Duplicate: 'warn' }

/** True for entries that need no attention, including wrong flags and passwords. They are not shown in red. */
function isCalm({ level, status }: LogEntry): boolean {
  return status === 'Success' || (level === 'Information' && status !== 'Denied')
}

type Keyed = ReturnType<typeof addUniqueKeysToEntries<LogEntry>>[number]
function keyOf({ key }: Keyed) {
  return key
}
function rowProps({ entry }: Keyed) {
  return { 'data-level': entry.level ?? undefined }
}

type LogTableProps = Omit<RowsRead<LogEntry>, 'paging' | 'failed'> &
  Readonly<{
    order: Order
  }>

export function LogTable({ rows, ...read }: LogTableProps) {
  const { t } = useTranslation('admin-logs')
  const columns: readonly Column<Keyed>[] = [
    {
      head: t('column.time'),
      sort: 'time',
      bare: true,
      className: cx('mono tiny nowrap', styles.time),
      cell: ({ entry }) => <LogTime at={entry.time} />,
      loadingWidth: '56px',
    },
    {
      head: t('column.level'),
      sort: 'level',
      bare: true,
      className: cx('nowrap', styles.level),
      cell: ({ entry }) => <Level level={entry.level} />,
      loadingWidth: '80px',
    },
    {
      head: t('column.message'),
      sort: 'message',
      bare: true,
      className: cx('typed', styles.message),
      cell: ({ entry }) => entry.msg,
      loadingWidth: '80%',
    },
    {
      head: t('column.result'),
      sort: 'result',
      bare: true,
      cell: ({ entry }) =>
        isCalm(entry) ? (
          <span className="visually-hidden">{entry.status}</span>
        ) : (
          entry.status && <Badge tone={statusTones[entry.status] ?? 'neutral'}>{entry.status}</Badge>
        ),
      loadingWidth: '56px',
    },
    {
      head: t('column.user'),
      sort: 'user',
      className: cx('wrap-anywhere', styles.user),
      cell: ({ entry }) => <bdi>{entry.name}</bdi>,
      loadingWidth: '60px',
    },
    {
      head: t('column.address'),
      sort: 'address',
      className: 'mono muted tiny nowrap',
      cell: ({ entry }) => entry.ip,
      loadingWidth: '80px',
    },
  ]
  return (
    <DataList
      label={t('table')}
      columns={columns}
      rows={rows && addUniqueKeysToEntries(rows, keyOfLogEntry)}
      keyOf={keyOf}
      rowProps={rowProps}
      dense
      listOnPhone
      className={cx('small', styles.logs)}
      loadingRows={14}
      failed={t('failed')}
      {...read}
    />
  )
}

/** Shows the time of an entry. The exact time is in a title attribute, because tooltips for a thousand rows would be slow. */
function LogTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {formatListTime(at, true)}
    </time>
  )
}

/** Shows the level of a log entry. Hides the level `Information` from view. */
function Level({ level }: Pick<LogEntry, 'level'>) {
  const { t } = useTranslation('admin-logs')
  const look = looks[level ?? '']
  if (!look) return level
  if (look.level === 'Information') return <span className="visually-hidden">{t('levels.Information')}</span>
  return (
    <span className={cx('inline', styles.mark)} data-tone={look.tone}>
      <look.Icon aria-hidden />
      {t(`levels.${look.level}`)}
    </span>
  )
}
