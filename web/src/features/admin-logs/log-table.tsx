import type { LogEntry } from '@capstan/contract/admin'
import { CircleAlert, Info, type LucideIcon, OctagonX, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { withKeys } from '../../components/live-list/tail.ts'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { Table } from '../../components/ui/table.tsx'
import { serverNow } from '../../lib/clock.ts'
import { formatClock, formatDate, formatExact } from '../../lib/format.ts'
import { logKey } from './log-filter.ts'
import styles from './logs.module.css'

interface Look {
  readonly tone: BadgeTone
  readonly Icon: LucideIcon
  readonly level: 'Information' | 'Warning' | 'Error' | 'Fatal'
}

const looks: Readonly<Record<string, Look>> = {
  Information: { tone: 'neutral', Icon: Info, level: 'Information' },
  Warning: { tone: 'warn', Icon: TriangleAlert, level: 'Warning' },
  Error: { tone: 'bad', Icon: CircleAlert, level: 'Error' },
  Fatal: { tone: 'bad', Icon: OctagonX, level: 'Fatal' },
}

const statusTones: Readonly<Record<string, BadgeTone>> = { Failed: 'bad', Denied: 'bad', Duplicate: 'warn' }

export function LogTable({ entries }: { readonly entries: readonly LogEntry[] }) {
  const { t } = useTranslation('admin-logs')
  return (
    <Table label={t('table')} dense listOnPhone className={styles.logs}>
      <thead>
        <tr>
          <th scope="col">{t('column.time')}</th>
          <th scope="col">{t('column.level')}</th>
          <th scope="col">{t('column.message')}</th>
          <th scope="col">{t('column.result')}</th>
          <th scope="col">{t('column.user')}</th>
          <th scope="col">{t('column.address')}</th>
        </tr>
      </thead>
      <tbody>
        {withKeys(entries, logKey).map(({ key, entry }) => (
          <LogRow key={key} entry={entry} />
        ))}
      </tbody>
    </Table>
  )
}

function LogRow({ entry }: { readonly entry: LogEntry }) {
  const { t } = useTranslation('admin-logs')
  const look = looks[entry.level ?? '']
  const isToday = formatDate(entry.time) === formatDate(serverNow())
  return (
    <tr data-level={entry.level}>
      <td className={styles.time}>
        {/* A plain title instead of a tooltip: there may be a thousand rows. */}
        <time dateTime={entry.time} title={formatExact(entry.time)}>
          {!isToday && <span>{formatDate(entry.time)} </span>}
          {formatClock(entry.time)}
        </time>
      </td>
      <td className={styles.level}>
        {look ? (
          <span className={styles.mark} data-tone={look.tone}>
            <look.Icon aria-hidden />
            {t(`levels.${look.level}`)}
          </span>
        ) : (
          entry.level
        )}
      </td>
      <td className={styles.message}>{entry.msg}</td>
      <td data-label={t('column.result')}>
        {entry.status === 'Success' ? (
          <span className={styles.success}>{entry.status}</span>
        ) : (
          entry.status && <Badge tone={statusTones[entry.status] ?? 'neutral'}>{entry.status}</Badge>
        )}
      </td>
      <td data-label={t('column.user')} className={styles.user}>
        {entry.name}
      </td>
      <td data-label={t('column.address')} className={styles.address}>
        {entry.ip}
      </td>
    </tr>
  )
}
