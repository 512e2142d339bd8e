import type { ChallengeHealth, MonitoredChallenge } from '@capstan/contract/monitor'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../lib/format.ts'
import { Badge } from '../ui/badge.tsx'
import { categoryIcons } from '../ui/category.tsx'
import { cx } from '../ui/cx.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { RelativeTime } from '../ui/time.tsx'
import styles from './challenge-health.module.css'
import { InstanceReason } from './instance-reason.tsx'

type ChallengeHealthTableProps = Readonly<{
  label: string
  challenges: readonly MonitoredChallenge[]
  challengeTo: (id: number) => string
  instancesTo: (challenge: MonitoredChallenge) => string
}>

function keyOf({ id }: MonitoredChallenge) {
  return id
}

export function ChallengeHealthTable({ label, challenges, challengeTo, instancesTo }: ChallengeHealthTableProps) {
  const { t } = useTranslation('challenge-health')
  const columns: readonly Column<MonitoredChallenge>[] = [
    {
      head: t('challenge'),
      kind: 'name',
      className: styles.name,
      cell: ({ id, title, category, isEnabled }) => {
        const Icon = categoryIcons[category]
        return (
          <span className={cx('row gap-2 wrap-anywhere', styles.title)} data-category={category}>
            <Icon role="img" aria-label={category} />
            <Link to={challengeTo(id)} data-challenge={id} className="touchTarget">
              <bdi>{title}</bdi>
            </Link>
            {!isEnabled && <Badge>{t('disabled')}</Badge>}
          </span>
        )
      },
    },
    { head: t('points'), kind: 'end', className: 'number', cell: ({ score }) => formatNumber(score) },
    { head: t('solves'), kind: 'end', className: 'number', cell: ({ solved }) => formatNumber(solved) },
    {
      head: t('instances'),
      cell: (challenge) =>
        challenge.instances === null ? (
          <span className="muted">{t('none')}</span>
        ) : (
          <Health health={challenge.instances} to={instancesTo(challenge)} />
        ),
    },
    {
      head: t('lastReady'),
      className: 'nowrap',
      cell: ({ instances }) => {
        if (instances === null) return '–'
        return instances.lastReadyAt === null ? (
          <span className="muted">{t('never')}</span>
        ) : (
          <RelativeTime at={instances.lastReadyAt} />
        )
      },
    },
  ]
  return <DataTable label={label} columns={columns} rows={challenges} keyOf={keyOf} dense listOnPhone />
}

const states = [
  ['running', 'ok'],
  ['starting', 'warn'],
  ['failing', 'bad'],
] as const

function Health({ health, to }: Readonly<{ health: ChallengeHealth; to: string }>) {
  const { t } = useTranslation('challenge-health')
  const present = states.filter(([state]) => health[state] > 0)
  return (
    <span className="row gap-1">
      {present.length === 0 && <span className="muted">{t('noneRuns')}</span>}
      {present.map(([state, tone]) => (
        <Link key={state} to={to} className="inline gap-2 quiet number" data-tone={tone ?? 'ok'}>
          <span className="dot" />
          {t(state, { count: health[state] })}
        </Link>
      ))}
      {health.failedStarts > 0 && <span className="muted">{t('failedStarts', { count: health.failedStarts })}</span>}
      {health.reason !== null && (
        <span className={cx('muted small wrap-anywhere', styles.reason)}>
          <InstanceReason code={health.reasonCode} message={health.reason} />
        </span>
      )}
    </span>
  )
}
