import type { CapturedChallenge, ProxiedConnection } from '@capstan/contract/captures'
import { ownOperations } from '@capstan/contract/operations'
import { Cable, FilterX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { SearchInput, Select } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { Segments } from '../../components/ui/tabs.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { formatBytes, formatCountdown } from '../../lib/format.ts'
import { useQueryChoice, useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { MomentCell } from './moment.tsx'
import styles from './traffic.module.css'

const pageSize = 100

interface ConnectionListProps {
  readonly gameId: number
  /** To choose from; connections of others are found by search. */
  readonly challenges: readonly CapturedChallenge[]
}

/** Connections to instances through the proxy, of the whole game or as the address restricts them. Filtered and paged by the server. */
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
        <Segments
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
      {!data && !error && <TableSkeleton dense rows={10} columns={['52px', '70%', '60%', '60%', '80px', '60px', '60px']} />}
      {!data && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {data?.length === 0 && page === 0 && (
        <EmptyState
          icon={isFiltered ? FilterX : Cable}
          title={t(isFiltered ? 'connection.none' : 'connection.emptyTitle')}
          actions={isFiltered && <Button onClick={clear}>{t('search.clear')}</Button>}
        >
          {t(isFiltered ? 'connection.noneText' : 'connection.emptyText')}
        </EmptyState>
      )}
      {data && data.length > 0 && <ConnectionTable connections={data} />}
      {data && (page > 0 || data.length === pageSize) && (
        <Pagination page={page} pageSize={pageSize} itemsShown={data.length} onPageChange={setPage} />
      )}
    </>
  )
}

function ConnectionTable({ connections }: { readonly connections: readonly ProxiedConnection[] }) {
  const { t } = useTranslation('monitor')
  const now = useNow()
  return (
    <Table label={t('connection.table')} dense className={styles.connections}>
      <thead>
        <tr>
          <th scope="col">{t('connection.opened')}</th>
          <th scope="col">{t('connection.team')}</th>
          <th scope="col">{t('connection.user')}</th>
          <th scope="col">{t('connection.challenge')}</th>
          <th scope="col">{t('connection.from')}</th>
          <th scope="col" className={tableEnd}>
            {t('connection.lasted')}
          </th>
          <th scope="col" className={tableEnd}>
            {t('connection.sent')}
          </th>
          <th scope="col" className={tableEnd}>
            {t('connection.received')}
          </th>
        </tr>
      </thead>
      <tbody>
        {connections.map((each) => (
          <tr key={each.id}>
            <MomentCell at={each.openedAt} />
            <th scope="row" className={cx(styles.name, styles.connectionTeam)}>
              {each.teamName}
            </th>
            <td className={cx(styles.name, styles.connectionUser)}>
              {each.userName ?? <span className="muted">{t('connection.nobody')}</span>}
            </td>
            <td className={cx('wrap-anywhere', styles.connectionChallenge)}>
              <span className={styles.clamp} title={each.challengeTitle}>
                {each.challengeTitle}
              </span>
            </td>
            <td>
              <code className={cx(styles.file, styles.from)}>{each.clientAddress}</code>
            </td>
            <td className={cx(tableEnd, styles.when)}>
              {each.closedAt === null && <Badge tone="ok">{t('connection.isOpen')}</Badge>}{' '}
              <span className="number">
                {formatCountdown((each.closedAt === null ? now : Date.parse(each.closedAt)) - Date.parse(each.openedAt))}
              </span>
            </td>
            <td className={tableEnd}>
              <span className="number">{formatBytes(each.bytesSent)}</span>
            </td>
            <td className={tableEnd}>
              <span className="number">{formatBytes(each.bytesReceived)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
