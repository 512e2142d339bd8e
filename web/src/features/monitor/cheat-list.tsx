import type { ParticipationRef } from '@capstan/contract/games'
import type { CheatRecord } from '@capstan/contract/submissions'
import { ArrowLeftRight, ArrowRight, FilterX, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { searcherOf } from '../../components/live-list/tail.ts'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { type Column, DataTable } from '../../components/ui/data-table.tsx'
import { SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useQueryPage, useQuerySearch } from '../../lib/query-state.ts'
import { type CheatPair, cheatText, pairsOf } from './cheat-pairs.ts'
import { momentColumn } from './moment.tsx'
import styles from './monitor.module.css'

/** Pairs on a page, and records of a pair that are drawn. */
const pageSize = 20
const recordsMost = 100

const recordKey = ({ submission: { time, user, challenge, answer } }: CheatRecord) => `${time} ${user} ${challenge} ${answer}`

interface CheatListProps {
  readonly records: readonly CheatRecord[]
  /** Link to the review of teams, for those who may review. */
  readonly action?: ReactNode
}

/** Detected cheats, grouped by pair of teams. */
export function CheatList({ records, action }: CheatListProps) {
  const { t } = useTranslation('monitor')
  const search = useQuerySearch()
  const pairs = pairsOf(records.filter(searcherOf(search.typed, cheatText)))
  const place = useQueryPage()
  const page = Math.min(place.page, Math.max(0, Math.ceil(pairs.length / pageSize) - 1))
  const shown = pairs.slice(page * pageSize, (page + 1) * pageSize)
  if (records.length === 0)
    return (
      <EmptyState icon={ShieldCheck} title={t('cheat.emptyTitle')}>
        {t('cheat.emptyText')}
      </EmptyState>
    )
  return (
    <>
      <Toolbar
        search={
          <SearchInput
            label={t('search.cheats')}
            placeholder={t('search.cheatsHint')}
            value={search.typed}
            onValueChange={search.setTyped}
          />
        }
        end={
          <>
            <span className="small muted number" role="status">
              {t('cheat.pairs', { count: pairs.length })}
            </span>
            {action}
          </>
        }
      />
      <div className="stack">
        <Alert>{t('cheat.note')}</Alert>
        {pairs.length === 0 && (
          <EmptyState
            icon={FilterX}
            title={t('search.none')}
            actions={<Button onClick={() => search.setTyped('')}>{t('search.clear')}</Button>}
          />
        )}
        {shown.map((pair) => (
          <Pair key={pair.key} pair={pair} />
        ))}
        {pairs.length > pageSize && (
          <Pagination
            page={page}
            pageSize={pageSize}
            total={pairs.length}
            itemsShown={shown.length}
            onPageChange={place.setPage}
          />
        )}
      </div>
    </>
  )
}

function Pair({ pair: { one, other, records, isMutual } }: { readonly pair: CheatPair }) {
  const { t } = useTranslation('monitor')
  const names = { one: one.team.name, other: other.team.name }
  const last = records[0]
  const columns: readonly Column<CheatRecord>[] = [
    momentColumn(t('cheat.time'), ({ submission }) => submission.time),
    { head: t('cheat.source'), className: 'wrap-anywhere', cell: ({ ownedTeam }) => ownedTeam.team.name },
    { head: t('cheat.submitter'), className: 'wrap-anywhere', cell: ({ submitTeam }) => submitTeam.team.name },
    { head: t('cheat.user'), kind: 'name', className: 'wrap-anywhere', cell: ({ submission }) => submission.user },
    { head: t('cheat.challenge'), className: 'wrap-anywhere', cell: ({ submission }) => submission.challenge },
    { head: t('cheat.flag'), cell: ({ submission }) => <code className="wrap-anywhere">{submission.answer}</code> },
  ]
  return (
    <section className={styles.pair} aria-label={t('cheat.pair', names)}>
      <header className={styles.pairHead}>
        <h2 className={styles.pairTeams}>
          <PairTeam participation={one} />
          {isMutual ? (
            <ArrowLeftRight role="img" aria-label={t('cheat.both')} />
          ) : (
            <ArrowRight role="img" aria-label={t('cheat.oneWay', { owner: one.team.name, submitter: other.team.name })} />
          )}
          <PairTeam participation={other} />
        </h2>
        <span className="row gap-2">
          <Badge tone="bad">{t('cheat.records', { count: records.length })}</Badge>
          {last && (
            <span className="small muted">
              {t('cheat.last')} <RelativeTime at={last.submission.time} />
            </span>
          )}
        </span>
      </header>
      <DataTable
        label={t('cheat.table', names)}
        columns={columns}
        rows={records.slice(0, recordsMost)}
        keyOf={recordKey}
        dense
        listOnPhone
        className={styles.pairTable}
      />
      {records.length > recordsMost && (
        <p className="small muted">{t('cheat.more', { count: recordsMost, total: formatNumber(records.length) })}</p>
      )}
    </section>
  )
}

function PairTeam({ participation: { team, status, organization } }: { readonly participation: ParticipationRef }) {
  const { t } = useTranslation('monitor')
  return (
    <span className={styles.pairTeam}>
      <Avatar team name={team.name} src={team.avatar} size={24} />
      <span className="wrap-anywhere">{team.name}</span>
      {organization && <Badge>{organization}</Badge>}
      {status !== 'Accepted' && <Badge tone="warn">{t(`cheat.participation.${status}`)}</Badge>}
    </span>
  )
}
