import { availablePoints } from '@capstan/contract/score'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CategoryBadge } from '../../components/ui/category-badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { isolateDirection } from '../../lib/i18n.ts'
import styles from './board.module.css'
import { type BoardSort, createChallengeComparator, type Marks } from './board.ts'
import {
  type BoardContentProps,
  fromBoard,
  NewChallengeMark,
  PracticedMark,
  RunningInstanceMark,
  SolvedMark,
} from './challenge-cards.tsx'
import { ContentMarks, DeadlineMark, DifficultyMark, FirstSolverMarks } from './challenge-facts.tsx'
import { FlagProgressText } from './flag-progress.tsx'
import { LockMark } from './lock.tsx'

export function ChallengeTable({
  groups,
  sort,
  solves,
  running,
  marks,
  addressOf,
  practiced,
  fresh,
  locks,
  progress,
}: BoardContentProps & { readonly sort: BoardSort }) {
  const { t } = useTranslation('challenges')
  return (
    <Table dense label={t('title')} className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t('column.title')}</th>
          <th scope="col" className="hidden-on-phone">
            {t('column.category')}
          </th>
          <th scope="col" className={tableEnd}>
            {t('column.points')}
          </th>
          <th scope="col" className={cx(tableEnd, 'hidden-on-phone')}>
            {t('column.solves')}
          </th>
          <th scope="col" className="hidden-on-phone">
            {t('column.bloods')}
          </th>
          <th scope="col">{t('column.state')}</th>
        </tr>
      </thead>
      <tbody>
        {toTableRows(groups, sort, marks).map((challenge) => {
          const own = marks.get(challenge.id)
          const instance = running.get(challenge.id)
          const lock = locks.get(challenge.id)
          const found = solves.has(challenge.id) ? undefined : progress.get(challenge.id)
          return (
            <tr key={challenge.id} data-solved={solves.has(challenge.id) || undefined}>
              <th scope="row">
                <Link
                  to={addressOf(challenge.id)}
                  state={fromBoard}
                  preventScrollReset
                  data-challenge={challenge.id}
                  className={cx('cover medium wrap-anywhere', styles.rowLink)}
                >
                  <bdi>{challenge.title}</bdi>
                </Link>
                {own && own.tags.length > 0 && (
                  <span className={cx('faint tiny regular wrap-anywhere', styles.rowTags)}>
                    {own.tags.map(isolateDirection).join(' · ')}
                  </span>
                )}
              </th>
              <td className="hidden-on-phone">
                <CategoryBadge category={challenge.category} />
              </td>
              <td className={tableEnd}>
                <b>{formatNumber(availablePoints(challenge))}</b>
              </td>
              <td className={cx(tableEnd, 'hidden-on-phone')}>{formatNumber(challenge.solved)}</td>
              <td className="hidden-on-phone">
                <FirstSolverMarks bloods={challenge.bloods} />
              </td>
              <td>
                <span className={styles.marks}>
                  <ContentMarks marks={own} running={instance && <RunningInstanceMark instance={instance} />} />
                  {!solves.has(challenge.id) && fresh?.has(challenge.id) && <NewChallengeMark />}
                  <span>{solves.has(challenge.id) ? <SolvedMark /> : practiced?.has(challenge.id) && <PracticedMark />}</span>
                  <DifficultyMark difficulty={own?.difficulty} />
                  {found && <FlagProgressText progress={found} />}
                  {lock && <LockMark lock={lock} />}
                  {!solves.has(challenge.id) && !practiced && !lock && <DeadlineMark deadline={challenge.deadline} />}
                </span>
              </td>
            </tr>
          )
        })}
      </tbody>
    </Table>
  )
}

export function toTableRows(groups: BoardContentProps['groups'], sort: BoardSort, marks: Marks) {
  const all = groups.flatMap((group) => group.challenges)
  return sort === 'title' ? all : all.toSorted(createChallengeComparator(sort, marks))
}
