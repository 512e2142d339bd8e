import type { ParticipationRef } from '@capstan/contract/games'
import type { CheatPair, CheatPairPage, MonitoredCheat } from '@capstan/contract/monitor'
import { ArrowLeftRight, ArrowRight, FilterX, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, DataTable } from '../../components/ui/data-table.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { CompareDialog } from './compare-dialog.tsx'
import { FeedFilterBar } from './feed-filter-bar.tsx'
import { LinkedName, useMonitorLinks } from './links.tsx'
import { useTimestampColumn } from './moment.tsx'
import styles from './monitor.module.css'
import type { FeedFilters } from './use-feed.ts'
import { useSuspend } from './use-suspend.ts'

function recordKey({ submission }: MonitoredCheat) {
  return submission.id
}

type CheatListProps = Readonly<{
  gameId: number
  filters: FeedFilters
  /** Page of the list of team pairs. Undefined before the first response. */
  found: CheatPairPage | undefined
}>

/** Detected cheats, grouped by the two teams involved. */
export function CheatList({ gameId, filters, found }: CheatListProps) {
  const { t } = useTranslation('monitor')
  const suspending = useSuspend(gameId)
  const [compared, setCompared] = useState<CheatPair>()
  const isEmpty = found?.total === 0
  if (isEmpty && !filters.isFiltered && filters.page === 0)
    return (
      <EmptyState icon={ShieldCheck} title={t('cheat.emptyTitle')}>
        {t('cheat.emptyText')}
      </EmptyState>
    )
  return (
    <>
      <FeedFilterBar
        gameId={gameId}
        filters={filters}
        searchLabel={t('search.cheats')}
        searchHint={t('search.cheatsHint')}
        end={
          found && (
            <span className="small muted number" role="status">
              {t('cheat.pairs', { count: found.total })}
            </span>
          )
        }
      />
      {found && (
        <div className="stack">
          {isEmpty ? (
            <EmptyState
              icon={FilterX}
              title={t('search.none')}
              actions={<Button onClick={() => filters.clear()}>{t('search.clear')}</Button>}
            />
          ) : (
            <Alert>{t('cheat.note')}</Alert>
          )}
          {found.data.map((pair) => (
            <Pair
              key={[pair.owner.id, pair.submitter.id].sort((one, other) => one - other).join(' ')}
              gameId={gameId}
              pair={pair}
              suspending={suspending}
              onCompare={() => setCompared(pair)}
            />
          ))}
          {found.total > filters.pageSize && (
            <Pagination
              page={filters.page}
              pageSize={filters.pageSize}
              total={found.total}
              itemsShown={found.data.length}
              onPageChange={filters.setPage}
            />
          )}
        </div>
      )}
      {compared && (
        <CompareDialog
          gameId={gameId}
          one={compared.owner.team}
          other={compared.submitter.team}
          onClose={() => setCompared(undefined)}
        />
      )}
    </>
  )
}

type PairProps = Readonly<{
  gameId: number
  pair: CheatPair
  suspending: ReturnType<typeof useSuspend>
  onCompare: () => void
}>

function Pair({ gameId, pair: { owner, submitter, records, isMutual, count }, suspending, onCompare }: PairProps) {
  const { t } = useTranslation('monitor')
  const links = useMonitorLinks(gameId)
  const momentColumn = useTimestampColumn()
  const names = { one: owner.team.name, other: submitter.team.name }
  const nameOf = (teamId: number) => (teamId === owner.team.id ? owner.team.name : submitter.team.name)
  const last = records[0]
  const columns: readonly Column<MonitoredCheat>[] = [
    { ...momentColumn(t('cheat.time'), ({ submission }) => submission.time), width: '14%' },
    {
      head: t('cheat.source'),
      className: 'wrap-anywhere',
      cell: ({ ownerTeamId }) => <LinkedName to={links.team(ownerTeamId)}>{nameOf(ownerTeamId)}</LinkedName>,
    },
    {
      head: t('cheat.submitter'),
      className: 'wrap-anywhere',
      cell: ({ submission }) => <LinkedName to={links.team(submission.teamId)}>{submission.team}</LinkedName>,
    },
    {
      head: t('cheat.user'),
      kind: 'name',
      className: 'wrap-anywhere',
      cell: ({ submission: { user } }) => <LinkedName to={user === '' ? undefined : links.user(user)}>{user}</LinkedName>,
    },
    {
      head: t('cheat.challenge'),
      className: 'wrap-anywhere',
      cell: ({ submission }) => <LinkedName to={links.challenge(submission.challengeId)}>{submission.challenge}</LinkedName>,
    },
    { head: t('cheat.flag'), width: '26%', cell: ({ submission }) => <code className="wrap-anywhere">{submission.answer}</code> },
  ]
  return (
    <section className="stack gap-3" aria-label={t('cheat.pair', names)}>
      <header className="row row-between above-4">
        <h2 className={cx('row', styles.pairTeams)}>
          <PairTeam participation={owner} to={links.team(owner.team.id)} />
          {isMutual ? (
            <ArrowLeftRight role="img" aria-label={t('cheat.both')} />
          ) : (
            <ArrowRight role="img" aria-label={t('cheat.oneWay', { owner: owner.team.name, submitter: submitter.team.name })} />
          )}
          <PairTeam participation={submitter} to={links.team(submitter.team.id)} />
        </h2>
        <span className="row gap-2">
          <Badge tone="bad">{t('cheat.records', { count })}</Badge>
          {last && (
            <span className="small muted">
              {t('cheat.last')} <RelativeTime at={last.submission.time} />
            </span>
          )}
          <Button size="small" onClick={onCompare}>
            {t('cheat.compare')}
          </Button>
          {links.isAdmin &&
            [owner, submitter]
              .filter(({ status }) => status === 'Accepted')
              .map((participation) => (
                <Button
                  key={participation.id}
                  size="small"
                  disabled={suspending.busy.has(participation.id)}
                  onClick={() => suspending.suspend(participation)}
                >
                  {t('cheat.suspend', { team: participation.team.name })}
                </Button>
              ))}
        </span>
      </header>
      <DataTable
        label={t('cheat.table', names)}
        columns={columns}
        rows={records}
        keyOf={recordKey}
        dense
        listOnPhone
        className={styles.pairTable}
      />
      {count > records.length && (
        <p className="small muted">{t('cheat.more', { count: records.length, total: formatNumber(count) })}</p>
      )}
    </section>
  )
}

type PairTeamProps = Readonly<{
  participation: ParticipationRef
  to: string
}>

function PairTeam({ participation: { team, status, organization }, to }: PairTeamProps) {
  const { t } = useTranslation('monitor')
  return (
    <span className="inline gap-2">
      <Avatar team name={team.name} src={team.avatar} size={24} />
      <span className="wrap-anywhere">
        <LinkedName to={to}>{team.name}</LinkedName>
      </span>
      {organization && (
        <Badge>
          <bdi>{organization}</bdi>
        </Badge>
      )}
      {status !== 'Accepted' && <Badge tone="warn">{t(`cheat.participation.${status}`)}</Badge>}
    </span>
  )
}
