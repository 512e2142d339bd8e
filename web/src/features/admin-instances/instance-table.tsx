import type { ContainerInstance, InstanceState, InstanceUsage } from '@capstan/contract/admin'
import { ScrollText, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { InstanceReason } from '../../components/challenge-health/instance-reason.tsx'
import { formatCores, formatMb, UsageBar, withMb } from '../../components/containers/usage.tsx'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { cx } from '../../components/ui/cx.ts'
import type { Column } from '../../components/ui/data-table.tsx'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { formatCountdown, formatExactTime } from '../../lib/format.ts'
import { toAddressText } from './instance-list.ts'
import styles from './instances.module.css'

type KnownInstance = Readonly<{
  instance: ContainerInstance
  state: InstanceState | undefined
  usage: InstanceUsage | undefined
}>

export function keyOfInstance({ instance }: KnownInstance) {
  return instance.containerGuid
}
const tones: Readonly<Record<InstanceState['state'], BadgeTone>> = { Starting: 'brand', Running: 'ok', Failing: 'bad' }

/**
 * Returns the columns of the table, and a function that returns the accessible name of a row. Separate cells update the remaining
 * times, so that a row renders again only if its instance changes.
 */
export function useInstanceColumns(
  hasUsage: boolean,
  onDestroy: (instance: ContainerInstance) => void,
  onOpen: (instance: ContainerInstance) => void,
) {
  const { t } = useTranslation('admin-instances')
  return useMemo(() => {
    const titleOf = ({ instance }: KnownInstance) => instance.challenge?.title ?? t('unknownChallenge')
    const teamOf = ({ instance }: KnownInstance) => instance.team?.name ?? t('unknownTeam')
    const columns: readonly Column<KnownInstance>[] = [
      {
        head: t('column.challenge'),
        sort: 'challenge',
        kind: 'name',
        bare: true,
        cell: (row) => <ChallengeAndImage instance={row.instance} title={titleOf(row)} />,
      },
      {
        head: t('column.team'),
        sort: 'team',
        cell: (row) => (
          <span className={cx('line', styles.team)}>
            <Avatar team name={teamOf(row)} src={row.instance.team?.avatar} size={22} />
            <bdi className="wrap-anywhere">{teamOf(row)}</bdi>
          </span>
        ),
      },
      {
        head: t('column.state'),
        sort: 'state',
        cell: ({ state }) => (
          <span className={cx('stack gap-0 start tight', styles.lines)}>
            {state ? <Badge tone={tones[state.state]}>{t(`state.${state.state}`)}</Badge> : <span className="muted">–</span>}
            {state?.message && (
              <span className={cx('muted tiny wrap-anywhere', styles.reason)}>
                <InstanceReason code={state.reason} message={state.message} />
              </span>
            )}
          </span>
        ),
      },
      ...(hasUsage ? usageColumns({ cpu: t('column.cpu'), memory: t('column.memory') }) : []),
      { head: t('column.age'), sort: 'age', cell: ({ instance }) => <Age since={instance.startedAt} /> },
      { head: t('column.left'), sort: 'left', cell: ({ instance }) => <TimeLeft until={instance.expectStopAt} /> },
      { head: t('column.address'), sort: 'address', cell: ({ instance }) => <Address instance={instance} /> },
      {
        head: t('column.actions'),
        kind: 'actions',
        cell: (row) => (
          <span className="line gap-0">
            <IconButton size="small" label={t('containersOf', { team: teamOf(row) })} onClick={() => onOpen(row.instance)}>
              <ScrollText />
            </IconButton>
            <IconButton size="small" label={t('destroyOne', { team: teamOf(row) })} onClick={() => onDestroy(row.instance)}>
              <Trash2 />
            </IconButton>
          </span>
        ),
      },
    ]
    const nameOf = (row: KnownInstance) => t('selectOne', { challenge: titleOf(row), team: teamOf(row) })
    return { columns, nameOf }
  }, [t, hasUsage, onDestroy, onOpen])
}

/** Returns the CSS class of the table. If usage is measured, the table has two more columns. */
export function cssClassOfInstanceTable(hasUsage: boolean) {
  return cx(styles.table, hasUsage && styles.measured)
}

function ChallengeAndImage({ instance, title }: Readonly<{ instance: ContainerInstance; title: string }>) {
  const { t } = useTranslation('admin-instances')
  const { challenge, image } = instance
  const Icon = challenge ? categoryIcons[challenge.category] : undefined
  return (
    <span className={cx('line', styles.challenge)} {...(challenge && { 'data-category': challenge.category })}>
      {Icon && <Icon aria-hidden />}
      <span className={cx('stack gap-0 tight', styles.lines)}>
        <bdi className="wrap-anywhere">{title}</bdi>
        <span className={cx('truncate muted tiny regular', styles.detail)} title={image}>
          <span className="visually-hidden">{t('column.image')}: </span>
          {image}
        </span>
      </span>
    </span>
  )
}

function Address({ instance }: { readonly instance: ContainerInstance }) {
  const { t } = useTranslation('admin-instances')
  const address = toAddressText(instance)
  return (
    <span className={cx('line gap-0', styles.address)}>
      <span className={cx('stack gap-0 tight', styles.lines)}>
        <span className="mono">{address}</span>
        <span className={cx('truncate muted tiny regular', styles.detail)} title={instance.containerId}>
          {instance.containerId}
        </span>
      </span>
      <CopyButton text={address} label={t('copyAddress', { address })} />
    </span>
  )
}

function Age({ since }: { readonly since: string }) {
  const now = useNow()
  return (
    <time className="number" dateTime={since} title={formatExactTime(since)}>
      {formatCountdown(now - Date.parse(since))}
    </time>
  )
}

function TimeLeft({ until }: { readonly until: string }) {
  const { t } = useTranslation('admin-instances')
  const isOverdue = Date.parse(until) <= useNow()
  return isOverdue ? <Badge tone="warn">{t('overdue')}</Badge> : <Countdown until={until} />
}

/** Columns for CPU in cores and memory in MB. Each shows the used and the allowed amount. */
function usageColumns(heads: Readonly<{ cpu: string; memory: string }>): readonly Column<KnownInstance>[] {
  return [
    {
      head: heads.cpu,
      sort: 'cpu',
      kind: 'end',
      cell: ({ usage }) =>
        usage ? (
          <UsageBar
            className={styles.usage}
            used={usage.cpuMillicores}
            limit={usage.cpuLimitMillicores}
            text={`${formatCores(usage.cpuMillicores, 2)} / ${formatCores(usage.cpuLimitMillicores, 1)}`}
          />
        ) : (
          <span className="muted">–</span>
        ),
    },
    {
      head: heads.memory,
      sort: 'memory',
      kind: 'end',
      cell: ({ usage }) =>
        usage ? (
          <UsageBar
            className={styles.usage}
            used={usage.memoryBytes}
            limit={usage.memoryLimitBytes}
            text={`${formatMb(usage.memoryBytes)} / ${formatMb(usage.memoryLimitBytes, withMb)}`}
          />
        ) : (
          <span className="muted">–</span>
        ),
    },
  ]
}
