import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import type { ChallengeBrief } from '@capstan/contract/challenges'
import { Flag, Lock } from 'lucide-react'
import { Fragment, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { ButtonLink } from '../../components/ui/button.tsx'
import { CategoryBadge } from '../../components/ui/category-badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Checkbox } from '../../components/ui/field.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { isolateDirection } from '../../lib/i18n.ts'
import { paths } from '../../lib/paths.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import styles from './challenge-list.module.css'
import { CopyChallengeButton } from './copy-challenge.tsx'
import { EnabledSwitch } from './enabled-switch.tsx'
import type { CategoryGroup, LabelsById } from './list-filter.ts'

type ChallengeListProps = Readonly<{
  gameId: number
  groups: readonly CategoryGroup[]
  /** Number of solving teams by challenge id. A challenge that has no entry is not on the scoreboard. */
  solves: ReadonlyMap<number, number>
  isRunning: boolean
  labels: LabelsById
  selected: ReadonlySet<number>
  onSelect: (ids: readonly number[], isOn: boolean) => void
}>

/** List of all challenges by category. The keys `j` and `k` move the focus to the next or previous challenge. */
export function ChallengeList({ gameId, groups, solves, isRunning, labels, selected, onSelect }: ChallengeListProps) {
  const { t } = useTranslation(['admin-challenges', 'editing'])
  const boxOf = (ids: readonly number[], label: string) => {
    const count = ids.filter((id) => selected.has(id)).length
    return (
      <Checkbox
        bare
        label={label}
        checked={count === 0 ? false : count === ids.length ? true : 'indeterminate'}
        onCheckedChange={(isOn) => onSelect(ids, isOn)}
      />
    )
  }
  const place = useRef<HTMLDivElement>(null)
  const move = (by: number) => () => {
    const links = [...(place.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus()
  }
  useShortcuts({ j: move(1), k: move(-1) })
  return (
    <div ref={place}>
      <Table label={t('admin-challenges:list.label')} className={styles.list}>
        <thead>
          <tr>
            <th scope="col" className={styles.check}>
              {boxOf(
                groups.flatMap(({ challenges }) => challenges.map(({ id }) => id)),
                t('editing:selectAll'),
              )}
            </th>
            <th scope="col">{t('admin-challenges:list.challenge')}</th>
            <th scope="col">{t('admin-challenges:list.type')}</th>
            <th scope="col" className={tableEnd}>
              {t('admin-challenges:list.value')}
            </th>
            <th scope="col" className={tableEnd}>
              {t('admin-challenges:list.solves')}
            </th>
            <th scope="col">{t('admin-challenges:list.enabled')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('admin-challenges:list.flags')}</span>
            </th>
          </tr>
        </thead>
        {groups.map(({ category, challenges }) => (
          <Fragment key={category}>
            <tbody>
              <tr className={styles.group}>
                <td className={styles.check}>
                  {boxOf(
                    challenges.map(({ id }) => id),
                    t('admin-challenges:many.group', { category }),
                  )}
                </td>
                <th scope="rowgroup" colSpan={6}>
                  <span className="row">
                    <CategoryBadge category={category} />
                    <span className="small muted">
                      {t('admin-challenges:list.enabledOf', {
                        count: challenges.length,
                        enabled: challenges.filter(({ isEnabled }) => isEnabled).length,
                      })}
                    </span>
                  </span>
                </th>
              </tr>
              {challenges.map((challenge) => (
                <Row
                  key={challenge.id}
                  gameId={gameId}
                  challenge={challenge}
                  solves={solves.get(challenge.id)}
                  isRunning={isRunning}
                  labels={labels.get(challenge.id)}
                  isSelected={selected.has(challenge.id)}
                  onSelect={onSelect}
                />
              ))}
            </tbody>
          </Fragment>
        ))}
      </Table>
    </div>
  )
}

function UnlockMark() {
  const { t } = useTranslation('admin-challenges')
  return (
    <span className={cx('inline faint', styles.lock)} title={t('unlock.mark')}>
      <Lock role="img" aria-label={t('unlock.mark')} />
    </span>
  )
}

type RowProps = Readonly<{
  gameId: number
  challenge: ChallengeBrief
  solves: number | undefined
  isRunning: boolean
  labels: ChallengeLabels | undefined
  isSelected: boolean
  onSelect: ChallengeListProps['onSelect']
}>

function Row({ gameId, challenge, solves, isRunning, labels, isSelected, onSelect }: RowProps) {
  const { t } = useTranslation(['admin-challenges', 'challenges', 'editing'])
  const difficulty = labels?.difficulty && t(`challenges:difficulty.${labels.difficulty}`)
  const note = [difficulty, ...(labels?.tags ?? []).map(isolateDirection)].filter(Boolean).join(' · ')
  const { id, title, type, isEnabled, isReleased, releaseUtc, deadlineUtc, hasUnlockRule, score, originalScore, minScore } =
    challenge
  return (
    <tr data-off={!isEnabled || undefined} aria-selected={isSelected}>
      <td className={styles.check}>
        <Checkbox
          bare
          label={t('editing:selectOne', { name: title })}
          checked={isSelected}
          onCheckedChange={(isOn) => onSelect([id], isOn)}
        />
      </td>
      <th scope="row" className={styles.title}>
        <Link to={paths.adminGameChallenge.to(gameId, id)} className="alone quiet wrap-anywhere" data-row-link>
          <bdi>{title}</bdi>
        </Link>
        {hasUnlockRule && <UnlockMark />}
        {note && <span className={cx('faint tiny regular wrap-anywhere', styles.note)}>{note}</span>}
        {!isReleased && releaseUtc !== null && (
          <span className={cx('faint tiny regular wrap-anywhere', styles.note)}>
            {t('admin-challenges:schedule.releasedAt', { time: formatDateTime(releaseUtc) })}
          </span>
        )}
        {deadlineUtc !== null && (
          <span className={cx('faint tiny regular wrap-anywhere', styles.note)}>
            {t('admin-challenges:schedule.closedAt', { time: formatDateTime(deadlineUtc) })}
          </span>
        )}
      </th>
      <td className="muted small nowrap">{t(`admin-challenges:type.${type}`)}</td>
      <td className={tableEnd} data-label={t('admin-challenges:list.value')}>
        <span className="nowrap" title={t('admin-challenges:list.range', { score: originalScore, minScore })}>
          <b className="strong">{formatNumber(score)}</b>
          {score !== originalScore && <span className="faint"> / {formatNumber(originalScore)}</span>}
        </span>
      </td>
      <td className={tableEnd} data-label={t('admin-challenges:list.solves')}>
        {solves === undefined ? <span className="faint">–</span> : formatNumber(solves)}
      </td>
      <td className={styles.switch}>
        <EnabledSwitch
          gameId={gameId}
          challenge={challenge}
          isRunning={isRunning}
          label={<span className="visually-hidden">{t('admin-challenges:list.enable', { title })}</span>}
        />
      </td>
      <td className={tableEnd}>
        <CopyChallengeButton gameId={gameId} challenge={challenge} />
        {type !== 'DynamicContainer' && (
          <ButtonLink
            size="small"
            variant="ghost"
            to={paths.adminGameChallenge.to(gameId, id, 'flags')}
            aria-label={t('admin-challenges:list.flagsOf', { title })}
          >
            <Flag aria-hidden />
            {t('admin-challenges:list.flags')}
          </ButtonLink>
        )}
      </td>
    </tr>
  )
}
