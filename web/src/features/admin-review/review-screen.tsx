import type { AdminGame, ParticipationRecord } from '@capstan/contract/games'
import { type Verdict, verdicts } from '@capstan/contract/vocabulary'
import { SearchX, UsersRound } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { updateSelection } from '../../components/ui/data-table.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { SearchInput, Select } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { useQueryChoice, useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { AnswerDownloads } from './answer-downloads.tsx'
import styles from './review.module.css'
import {
  applyPendingChanges,
  countTeamsByStatus,
  filterRecords,
  findRowWithKeyboardCursor,
  listVerdictChanges,
} from './review.ts'
import { ReviewTable } from './review-table.tsx'
import { TeamDetails } from './team-details.tsx'
import { useVerdicts } from './use-verdicts.ts'

const pageSize = 100

/** Options of the status filter, in display order. The order depends on the initial selection. */
const statusChoices = { Pending: ['Pending', 'all', 'Accepted', 'Rejected', 'Suspended'], all: ['all', ...verdicts] } as const

/** True if the window has room for the details next to the table. */
function wide() {
  return matchMedia('(min-width: 1180px)')
}
function watchWide(changed: () => void) {
  const query = wide()
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

type ReviewScreenProps = Readonly<{
  game: AdminGame
  records: readonly ParticipationRecord[]
}>

/**
 * Review of teams. The keys `j` and `k` move to the next or previous team, and `x` selects a team. `a` accepts, `r` rejects and `s`
 * suspends the selected teams, or else the current team.
 */
export function ReviewScreen({ game, records: stored }: ReviewScreenProps) {
  const { t } = useTranslation('admin-review')
  const { pending, failed, apply } = useVerdicts(game.id, game.teamLimit !== null)
  const records = useMemo(() => applyPendingChanges(stored, pending), [stored, pending])
  const counts = useMemo(() => countTeamsByStatus(records), [records])
  const [usual] = useState<keyof typeof statusChoices>(counts.Pending > 0 ? 'Pending' : 'all')
  const { get, set: setQuery } = useQueryState()
  // If the address names a team, show teams of all statuses.
  const { value: status, setValue: setStatus } = useQueryChoice<Verdict | 'all'>(
    'status',
    statusChoices[get('team') === '' ? usual : 'all'],
  )
  const division = get('division')
  const setDivision = (next: string) => setQuery({ division: next, page: undefined })
  const { typed: search, setTyped: setSearch } = useQuerySearch()
  const { page, setPage } = useQueryPage()
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const asked = records.find(({ team }) => String(team.id) === get('team'))
  const [isOpen, setOpen] = useState(asked !== undefined)
  const isWide = useSyncExternalStore(watchWide, () => wide().matches)

  const matching = useMemo(() => filterRecords(records, { status, division, search }), [records, status, division, search])
  const ids = useMemo(() => matching.map(({ id }) => id), [matching])
  const [cursor, setCursor] = useCursor(ids, asked?.id)
  const at = cursor === undefined ? -1 : ids.indexOf(cursor)
  // Initial page of the list. It contains the team that the address names.
  const place = useRef(asked === undefined ? 0 : ids.indexOf(asked.id))
  useEffect(() => {
    if (place.current >= pageSize) setPage(Math.floor(place.current / pageSize))
    place.current = 0
  }, [setPage])
  const lastPage = Math.max(0, Math.ceil(ids.length / pageSize) - 1)
  const shownPage = Math.min(page, lastPage)
  const shown = matching.slice(shownPage * pageSize, (shownPage + 1) * pageSize)
  const current = at === -1 ? undefined : matching[at]

  const moveTo = (place: number) => {
    const next = Math.min(ids.length - 1, Math.max(0, place))
    setCursor(ids[next])
    const itsPage = Math.floor(next / pageSize)
    if (itsPage !== shownPage) setPage(itsPage)
  }
  const select = (which: readonly number[], isOn: boolean) => setSelected(updateSelection(selected, which, isOn))
  const chosen = selected.size > 0 ? selected : new Set(current ? [current.id] : [])
  const judge = async (to: Verdict, which: ReadonlySet<number> = chosen) => {
    const changes = listVerdictChanges(records, which, to)
    if (changes.length === 0) return
    setSelected(new Set())
    const refused = await apply(changes)
    // If the server refuses a change, select the team again. The organizer can then retry with one key press.
    if (which.size > 1) setSelected((known) => new Set([...known, ...refused]))
  }
  useShortcuts(
    {
      j: () => moveTo(at + 1),
      k: () => moveTo(at - 1),
      x: () => current && select([current.id], !selected.has(current.id)),
      a: () => void judge('Accepted'),
      r: () => void judge('Rejected'),
      s: () => void judge('Suspended'),
      Escape: () => setSelected(new Set()),
      ...(!isWide && { Enter: () => current && setOpen(true) }),
    },
    { enabled: records.length > 0 },
  )

  const divisions = game.organizations ?? []
  const usedDivisions = [...new Set([...divisions, ...records.flatMap(({ organization }) => organization ?? [])])]
  const details = current && {
    gameId: game.id,
    record: current,
    divisions,
    isBusy: pending.has(current.id),
    onVerdict: (to: Verdict) => void judge(to, new Set([current.id])),
  }
  if (records.length === 0)
    return (
      <EmptyState icon={UsersRound} title={t('empty')}>
        {t(game.acceptWithoutReview ? 'emptyAccepting' : 'emptyText')}
      </EmptyState>
    )
  return (
    <div className="stack">
      <Toolbar search={<SearchInput label={t('search')} value={search} onValueChange={setSearch} />}>
        <SegmentedControl
          label={t('statusLabel')}
          value={status}
          onValueChange={setStatus}
          options={[
            { value: 'all', label: t('all', { count: records.length }) },
            ...verdicts.map((value) => ({ value, label: t(`count.${value}`, { count: counts[value] }) })),
          ]}
        />
        {usedDivisions.length > 0 && (
          <Select
            aria-label={t('division')}
            value={division || 'all'}
            onValueChange={(next) => setDivision(next === 'all' ? '' : next)}
            options={[{ value: 'all', label: t('allDivisions') }, ...usedDivisions.map((name) => ({ value: name, label: name }))]}
          />
        )}
      </Toolbar>
      {(game.questions ?? []).length > 0 && <AnswerDownloads gameId={game.id} />}
      <div className={styles.layout}>
        <div className="stack gap-2">
          <div className={cx('row gap-2', styles.bulk)} data-active={selected.size > 0}>
            {selected.size > 0 ? (
              <>
                <strong>{t('selected', { count: selected.size })}</strong>
                {(['Accepted', 'Rejected', 'Suspended'] as const).map((to) => {
                  const count = listVerdictChanges(records, selected, to).length
                  return count === 0 ? null : (
                    <Button key={to} size="small" onClick={() => void judge(to)}>
                      {t(`bulk.${to}`, { count })}
                    </Button>
                  )
                })}
                <Button size="small" variant="ghost" onClick={() => setSelected(new Set())}>
                  {t('clear')}
                </Button>
              </>
            ) : (
              <Keys />
            )}
          </div>
          {matching.length === 0 ? (
            <EmptyState
              icon={SearchX}
              title={status === 'Pending' && search === '' ? t('nothingWaits') : t('noMatch')}
              actions={
                <Button
                  onClick={() => {
                    setSearch('')
                    setQuery({ status: 'all', division: undefined, q: undefined, page: undefined })
                  }}
                >
                  {t('showAll')}
                </Button>
              }
            />
          ) : (
            <ReviewTable
              records={shown}
              hasDivisions={usedDivisions.length > 0}
              cursor={cursor}
              selected={selected}
              pending={pending}
              failed={failed}
              onPoint={setCursor}
              onOpen={(id) => {
                setCursor(id)
                if (!isWide) setOpen(true)
              }}
              onSelect={select}
            />
          )}
          {ids.length > pageSize && (
            <Pagination
              page={shownPage}
              pageSize={pageSize}
              total={ids.length}
              itemsShown={shown.length}
              onPageChange={(next) => {
                setPage(next)
                setCursor(ids[next * pageSize])
              }}
            />
          )}
        </div>
        {isWide && (
          <Card className={styles.details} aria-label={t('details')}>
            {details ? <TeamDetails {...details} /> : <p className="muted">{t('pick')}</p>}
          </Card>
        )}
      </div>
      {!isWide && isOpen && details && (
        <Dialog open onOpenChange={setOpen} title={details.record.team.name}>
          <TeamDetails {...details} hasTitle />
        </Dialog>
      )}
    </div>
  )
}

/**
 * Manages which row receives keyboard actions. Initially this is the row of the team in the address, or else the first row. If the
 * team of this row leaves the list, the row of the next team receives the actions.
 */
function useCursor(
  ids: readonly number[],
  asked: number | undefined,
): readonly [number | undefined, (id: number | undefined) => void] {
  const [cursor, setCursor] = useState(asked ?? ids[0])
  const previous = useRef(ids)
  const now = findRowWithKeyboardCursor(ids, cursor, previous.current) ?? ids[0]
  useEffect(() => {
    previous.current = ids
    if (now !== cursor) setCursor(now)
  }, [ids, now, cursor])
  return [now, setCursor]
}

function Keys() {
  const { t } = useTranslation('admin-review')
  return (
    <p className={cx('row muted tiny', styles.keys)}>
      {(
        [
          ['j k', 'move'],
          ['x', 'pick'],
          ['a', 'accept'],
          ['r', 'reject'],
          ['s', 'suspend'],
        ] as const
      ).map(([names, action]) => (
        <span key={action}>
          {names.split(' ').map((name) => (
            <kbd key={name}>{name}</kbd>
          ))}{' '}
          {t(`key.${action}`)}
        </span>
      ))}
    </p>
  )
}
