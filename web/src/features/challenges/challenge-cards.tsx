import type { TeamInstance } from '@capstan/contract/challenges'
import { availablePoints } from '@capstan/contract/score'
import type { BoardChallenge, SolvedChallenge } from '@capstan/contract/scoreboard'
import type { LockedChallenge } from '@capstan/contract/unlock'
import { Check } from 'lucide-react'
import type { CSSProperties } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { categoryIcons } from '../../components/ui/category.tsx'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { isolateDirection } from '../../lib/i18n.ts'
import styles from './board.module.css'
import type { BoardGroup, Marks } from './board.ts'
import { BestBloodMark, ContentMarks, DeadlineMark, DifficultyMark } from './challenge-facts.tsx'
import { FlagProgressText, type Progress } from './flag-progress.tsx'
import { LockMark } from './lock.tsx'

export type RunningInstances = ReadonlyMap<number, Pick<TeamInstance, 'startedBy'>>

type BoardFacts = Readonly<{
  solves: ReadonlyMap<number, SolvedChallenge>
  running: RunningInstances
  marks: Marks
  addressOf: (challengeId: number) => string
  practiced: ReadonlySet<number> | undefined
  fresh?: ReadonlySet<number> | undefined
  locks: ReadonlyMap<number, LockedChallenge>
  progress: Progress
}>

export type BoardContentProps = BoardFacts & { readonly groups: readonly BoardGroup[] }

/** Navigation state of a challenge that the user opened from the board. Closing such a challenge navigates back. */
export const fromBoard = { fromBoard: true } as const

/** Challenge cards in groups by category. The heading of a category stays visible while the cards of the category scroll. */
export function ChallengeCards({ groups, ...facts }: BoardContentProps) {
  return (
    <div className={styles.groups}>
      {groups.map((group) => (
        <section
          key={group.category}
          aria-labelledby={`category-${group.category}`}
          data-category={group.category}
          className={styles.group}
          style={{ '--cards': group.challenges.length } as CSSProperties}
        >
          <GroupHead group={group} />
          <ul className={styles.cards}>
            {group.challenges.map((challenge) => (
              <li key={challenge.id}>
                <Card challenge={challenge} {...facts} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function GroupHead({ group: { category, solved, total } }: { readonly group: BoardGroup }) {
  const { t } = useTranslation('challenges')
  const Icon = categoryIcons[category]
  return (
    <div className={cx('line', styles.groupHead)}>
      <Icon aria-hidden />
      <h2 id={`category-${category}`}>{category}</h2>
      <span className="faint small number" title={t('filter.solvedOf', { solved, total })}>
        <span aria-hidden>
          {formatNumber(solved)}/{formatNumber(total)}
        </span>
        <span className="visually-hidden">{t('filter.solvedOf', { solved, total })}</span>
      </span>
    </div>
  )
}

function Card(props: BoardFacts & { readonly challenge: BoardChallenge }) {
  const { challenge, solves, running, marks, addressOf, practiced, fresh, locks, progress } = props
  const { t } = useTranslation('challenges')
  const { id, title, solved, deadline } = challenge
  const isSolved = solves.has(id)
  const own = marks.get(id)
  const instance = running.get(id)
  const lock = locks.get(id)
  const found = isSolved ? undefined : progress.get(id)
  return (
    <Link
      to={addressOf(id)}
      state={fromBoard}
      preventScrollReset
      data-challenge={id}
      data-solved={isSolved || undefined}
      data-locked={lock ? true : undefined}
      className={cx('frame clip', styles.card)}
    >
      {/* A title of two lines leaves no space for tags. */}
      <span className={styles.cardText}>
        <strong className={cx('clamp small wrap-anywhere', styles.cardTitle)} title={title}>
          <bdi>{title}</bdi>
        </strong>
        {own && own.tags.length > 0 && (
          <span className={cx('truncate faint tiny', styles.cardTags)}>{own.tags.map(isolateDirection).join(' · ')}</span>
        )}
      </span>
      <span className={styles.cardMarks}>
        <ContentMarks marks={own} running={instance && <RunningInstanceMark instance={instance} />} />
        {!isSolved && fresh?.has(id) && <NewChallengeMark />}
        <span data-tick>{isSolved ? <SolvedMark /> : practiced?.has(id) && <PracticedMark />}</span>
        <DifficultyMark difficulty={own?.difficulty} />
      </span>
      <span className={cx('line muted tiny number nowrap', styles.cardFoot)}>
        <span className={styles.cardPoints}>
          <b>{formatNumber(availablePoints(challenge))}</b> {t('pointsShort')}
        </span>
        {lock && <LockMark lock={lock} />}
        {!lock &&
          (found ? <FlagProgressText progress={found} /> : <span className="truncate">{t('solves', { count: solved })}</span>)}
        {!isSolved && !practiced && !lock && <DeadlineMark deadline={deadline} />}
        {!lock && <BestBloodMark challenge={challenge} own={solves.get(id)?.type} />}
      </span>
    </Link>
  )
}

export function SolvedMark() {
  const { t } = useTranslation('challenges')
  return (
    <span className={styles.tick} title={t('solved')}>
      <Check role="img" aria-label={t('solved')} />
    </span>
  )
}

export function NewChallengeMark() {
  const { t } = useTranslation('challenges')
  return <span className="pill strong">{t('new')}</span>
}

/** Check mark of a challenge that was solved after the end of the game. */
export function PracticedMark() {
  const { t } = useTranslation('challenges')
  return (
    <span className={styles.tick} data-practiced title={t('practiced')}>
      <Check role="img" aria-label={t('practiced')} />
    </span>
  )
}

export function RunningInstanceMark({ instance }: { readonly instance: Pick<TeamInstance, 'startedBy'> }) {
  const { t } = useTranslation(['challenges', 'common'])
  const starter = instance.startedBy === null ? [] : [t('common:game.startedBy', { name: instance.startedBy })]
  const name = [t('challenges:running'), ...starter].join('. ')
  return <span role="img" aria-label={name} title={name} className={styles.running} />
}
