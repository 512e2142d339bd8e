import type { CapturedChallenge, ProxiedConnection } from '@capstan/contract/captures'
import { ownOperations } from '@capstan/contract/operations'
import { Cable, FilterX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { nameOfConnection } from '../../components/instances/ways.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, DataList, type RowsRead } from '../../components/ui/data-table.tsx'
import { SearchInput, Select } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { formatBytes, formatCountdown } from '../../lib/format.ts'
import { useQueryChoice, useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { useTimestampColumn } from './moment.tsx'
import styles from './traffic.module.css'

const pageSize = 100

type ConnectionListProps = Readonly<{
  gameId: number
  /** Challenges that the filter offers. For other challenges, users can search. */
  challenges: readonly CapturedChallenge[]
}>

/**
 * List of proxy connections to instances of the game. The address contains the filters. The server applies them and returns the
 * list in pages.
 */
export function ConnectionList({ gameId, challenges }: ConnectionListProps) {
  const { t } = useTranslation('monitor')
  const search = useQuerySearch()
  const { page, setPage } = useQueryPage()
  const which = useQueryChoice('which', ['all', 'open'])
  const { get, set } = useQueryState()
  const [challenge, participation] = [Number(get('challenge')) || undefined, Number(get('team')) || undefined]
  const isOpenOnly = which.value === 'open'
  const { data, error, mutate } = useCall(
    ownOperations.listConnections,
    {
      params: { id: gameId },
      query: {
        count: pageSize,
        skip: page * pageSize,
        ...(challenge !== undefined && { challenge }),
        ...(participation !== undefined && { participation }),
        ...(isOpenOnly && { open: true }),
        ...(search.settled !== '' && { hint: search.settled }),
      },
    },
    { keepPreviousData: true },
  )
  const isFiltered = isOpenOnly || search.settled !== '' || challenge !== undefined || participation !== undefined
  const clear = () => {
    search.setTyped('')
    set({ q: undefined, which: undefined, challenge: undefined, team: undefined, page: undefined })
  }
  return (
    <>
      <Toolbar
        search={
          <SearchInput
            label={t('connection.search')}
            placeholder={t('connection.searchHint')}
            value={search.typed}
            onValueChange={search.setTyped}
          />
        }
        end={
          participation !== undefined && (
            <Button onClick={() => set({ team: undefined, page: undefined })}>{t('connection.allTeams')}</Button>
          )
        }
      >
        <SegmentedControl
          label={t('connection.which')}
          value={which.value}
          onValueChange={which.setValue}
          options={[
            { value: 'all', label: t('connection.all') },
            { value: 'open', label: t('connection.open') },
          ]}
        />
        {challenges.length > 0 && (
          <Select
            aria-label={t('connection.challenge')}
            value={get('challenge') || 'all'}
            onValueChange={(id) => set({ challenge: id === 'all' ? undefined : id, team: undefined, page: undefined })}
            options={[
              { value: 'all', label: t('connection.allChallenges') },
              ...challenges.map(({ id, title }) => ({ value: String(id), label: title })),
            ]}
          />
        )}
      </Toolbar>
      <ConnectionTable
        rows={data}
        error={error}
        onRetry={() => mutate()}
        empty={
          page === 0 && (
            <EmptyState
              icon={isFiltered ? FilterX : Cable}
              title={t(isFiltered ? 'connection.none' : 'connection.emptyTitle')}
              actions={isFiltered && <Button onClick={clear}>{t('search.clear')}</Button>}
            >
              {t(isFiltered ? 'connection.noneText' : 'connection.emptyText')}
            </EmptyState>
          )
        }
      />
      {data && (page > 0 || data.length === pageSize) && (
        <Pagination page={page} pageSize={pageSize} itemsShown={data.length} onPageChange={setPage} />
      )}
    </>
  )
}

function keyOf({ id }: ProxiedConnection) {
  return id
}

function ConnectionTable(read: Omit<RowsRead<ProxiedConnection>, 'paging'>) {
  const { t } = useTranslation('monitor')
  const now = useNow()
  const momentColumn = useTimestampColumn()
  const columns: readonly Column<ProxiedConnection>[] = [
    { ...momentColumn(t('connection.opened'), ({ openedAt }) => openedAt), loadingWidth: '52px' },
    {
      head: t('connection.team'),
      kind: 'name',
      width: '17%',
      cell: ({ teamName }) => <bdi>{teamName}</bdi>,
      loadingWidth: '70%',
    },
    {
      head: t('connection.user'),
      width: '13%',
      cell: ({ userName }) =>
        userName === null ? <span className="muted">{t('connection.nobody')}</span> : <bdi>{userName}</bdi>,
      loadingWidth: '60%',
    },
    {
      head: t('connection.challenge'),
      className: 'wrap-anywhere',
      width: '22%',
      cell: ({ challengeTitle }) => (
        <span className="clamp" title={challengeTitle}>
          <bdi>{challengeTitle}</bdi>
        </span>
      ),
      loadingWidth: '60%',
    },
    {
      head: t('connection.from'),
      cell: ({ clientAddress }) => <code className={cx(styles.file, styles.from)}>{clientAddress}</code>,
      loadingWidth: '80px',
    },
    {
      head: t('connection.way'),
      cell: ({ way, port }) => (way === undefined ? <span className="muted">–</span> : nameOfConnection({ way, port })),
      loadingWidth: '48px',
    },
    {
      head: t('connection.lasted'),
      kind: 'end',
      className: cx('nowrap', styles.when),
      cell: ({ openedAt, closedAt }) => (
        <>
          {closedAt === null && <Badge tone="ok">{t('connection.isOpen')}</Badge>}{' '}
          <span className="number nowrap">
            {formatCountdown((closedAt === null ? now : Date.parse(closedAt)) - Date.parse(openedAt))}
          </span>
        </>
      ),
      loadingWidth: '60px',
    },
    {
      head: t('connection.sent'),
      kind: 'end',
      cell: ({ bytesSent }) => <span className="number nowrap">{formatBytes(bytesSent)}</span>,
      loadingWidth: '60px',
    },
    {
      head: t('connection.received'),
      kind: 'end',
      cell: ({ bytesReceived }) => <span className="number nowrap">{formatBytes(bytesReceived)}</span>,
      loadingWidth: '60px',
    },
  ]
  return (
    <DataList
      label={t('connection.table')}
      columns={columns}
      keyOf={keyOf}
      dense
      listOnPhone
      className={styles.connections}
      loadingRows={10}
      {...read}
    />
  )
}
