import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { Flag, PartyPopper, SearchX } from 'lucide-react'
import { memo, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import styles from './board.module.css'
import { filterGroups, listCategoryGroups, listFilterChoices, type Marks, mapOwnSolvesById } from './board.ts'
import { BoardFilter, type Chosen } from './board-filter.tsx'
import { useBoardPreferences } from './board-preferences.ts'
import { ChallengeCards, type RunningInstances } from './challenge-cards.tsx'
import { ChallengeTable } from './challenge-table.tsx'
import type { Progress } from './flag-progress.tsx'
import { listChallengeLocks } from './lock.tsx'
import type { BoardSearch } from './use-board-search.ts'

type BoardProps = Readonly<{
  board: PlayerBoard
  running: RunningInstances
  marks: Marks
  chosen: Chosen
  typed: string
  search: BoardSearch
  onChoose: (chosen: Partial<Chosen>) => void
  onTypedChange: (typed: string) => void
  onClear: () => void
  addressOf: (challengeId: number) => string
  /** Challenges that the player solved after the end of the game. Undefined before the end. */
  practiced?: ReadonlySet<number> | undefined
  fresh?: ReadonlySet<number> | undefined
  progress?: Progress | undefined
}>

const noProgress: Progress = new Map()

export const ChallengeBoard = memo(function ChallengeBoard(props: BoardProps) {
  const { board, running, marks, chosen, typed, search, onChoose, onTypedChange, onClear, addressOf, practiced, fresh } = props
  const { progress = noProgress } = props
  const { t } = useTranslation('challenges')
  const { view, sort, hideSolved, setHideSolved } = useBoardPreferences()
  const solves = useMemo(() => mapOwnSolvesById(board), [board])
  const solved = useMemo(() => new Set(solves.keys()), [solves])
  const groups = useMemo(() => listCategoryGroups(board.challenges, solved), [board.challenges, solved])
  const locks = useMemo(() => listChallengeLocks(board), [board])
  const done = useMemo(() => (practiced ? new Set([...solved, ...practiced]) : solved), [solved, practiced])
  const shown = useMemo(
    () => filterGroups(groups, { ...chosen, found: search.found, hideSolved, sort }, done, marks),
    [groups, chosen, search.found, hideSolved, sort, done, marks],
  )
  const choices = useMemo(() => listFilterChoices(board.challenges, marks), [board.challenges, marks])
  if (groups.length === 0)
    return (
      <EmptyState icon={Flag} title={t('empty')}>
        {t('emptyText')}
      </EmptyState>
    )
  const isAllSolved =
    hideSolved && filterGroups(groups, { ...chosen, found: search.found, hideSolved: false, sort }, done, marks).length > 0
  const facts = { groups: shown, solves, running, marks, addressOf, practiced, fresh, locks, progress }
  return (
    <div className={styles.board}>
      <BoardFilter
        groups={groups}
        choices={choices}
        chosen={chosen}
        onChoose={onChoose}
        typed={typed}
        onTypedChange={onTypedChange}
        problem={search.problem}
        practicedCount={practiced?.size}
      />
      <div className={cx('stack gap-6', styles.content)}>
        {shown.length > 0 && (view === 'cards' ? <ChallengeCards {...facts} /> : <ChallengeTable {...facts} sort={sort} />)}
        {shown.length === 0 && !isAllSolved && (
          <EmptyState icon={SearchX} title={t('noMatch')} actions={<Button onClick={onClear}>{t('filter.clear')}</Button>}>
            {t('noMatchText')}
          </EmptyState>
        )}
        {shown.length === 0 && isAllSolved && (
          <EmptyState
            icon={PartyPopper}
            title={t('allSolved')}
            actions={<Button onClick={() => setHideSolved(false)}>{t('showSolved')}</Button>}
          >
            {t('allSolvedText')}
          </EmptyState>
        )}
      </div>
    </div>
  )
})

export function BoardSkeleton() {
  return (
    <div className={styles.board} aria-hidden>
      <div className={styles.filter}>
        <Skeleton height="24px" />
        <Skeleton height="36px" />
        <div className={styles.skeletonFilter}>
          <Skeleton height="100%" />
        </div>
      </div>
      <div className={cx('stack gap-6', styles.content)}>
        <Skeleton width="160px" height="24px" />
        <div className={styles.groups}>
          {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
            <div key={key} className={styles.skeletonCard}>
              <Skeleton height="100%" />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
