import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { BloodTally } from './blood-mark.tsx'
import { isPinned, listRow } from './grid-layout.ts'
import styles from './list.module.css'
import { overall, type Standing, standingOf } from './standings.ts'

interface StandingsListProps {
  readonly teams: readonly ScoreboardTeam[]
  readonly division: string
  readonly total: number
  readonly own: Standing | undefined
  readonly risen: ReadonlySet<number>
  readonly onOpen: (teamId: number) => void
}

/** The board on a phone: a team a row, details by a tap. Scrolls with the page. */
export function StandingsList({ teams, division, total, own, risen, onOpen }: StandingsListProps) {
  const { t } = useTranslation('scoreboard')
  const list = useRef<HTMLUListElement>(null)
  const [offset, setOffset] = useState(0)
  // What stands above the list (chart, search) may change its height with every render.
  useLayoutEffect(() => setOffset(Math.round((list.current?.getBoundingClientRect().top ?? 0) + scrollY)))
  // Another function would make the list measure all its rows anew.
  const keyOf = useCallback((index: number) => teams[index]?.id ?? index, [teams])
  const rows = useWindowVirtualizer({
    count: teams.length,
    estimateSize: () => listRow,
    getItemKey: keyOf,
    overscan: 8,
    scrollMargin: offset,
  })
  const shared = { showOverallRank: division !== overall, total, onOpen }
  return (
    <div className={styles.frame}>
      {own && isPinned(own.team.id, teams) && (
        <div className={styles.pinned}>
          <ListRow {...shared} standing={own} own risen={risen.has(own.team.id)} />
        </div>
      )}
      <ul
        ref={list}
        aria-label={t('table')}
        className={styles.list}
        data-moving={risen.size > 0}
        style={{ blockSize: `${rows.getTotalSize()}px` }}
      >
        {rows.getVirtualItems().map(({ index, start }) => {
          const team = teams[index]
          return (
            team && (
              <li
                key={team.id}
                aria-setsize={teams.length}
                aria-posinset={index + 1}
                style={{ translate: `0 ${start - offset}px` }}
              >
                <ListRow
                  {...shared}
                  standing={standingOf(team, division)}
                  own={team.id === own?.team.id}
                  risen={risen.has(team.id)}
                />
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}

interface ListRowProps {
  readonly standing: Standing
  readonly showOverallRank: boolean
  readonly total: number
  readonly own: boolean
  readonly risen: boolean
  readonly onOpen: (teamId: number) => void
}

const ListRow = memo(function ListRow({ standing, showOverallRank, total, own, risen, onOpen }: ListRowProps) {
  const { t } = useTranslation('scoreboard')
  const { team, rank, bloods } = standing
  return (
    <button type="button" className={cx(styles.row, own && styles.own, risen && styles.risen)} onClick={() => onOpen(team.id)}>
      <span className={cx(styles.rank, 'number')} data-top={rank <= 3 ? rank : undefined}>
        <span className="visually-hidden">{t('column.rank')} </span>
        {formatNumber(rank)}
      </span>
      <Avatar team name={team.name} src={team.avatar} size={34} />
      <span className={styles.middle}>
        <bdi className="truncate">{team.name}</bdi>
        <span className={styles.below}>
          {showOverallRank ? (
            <span>{t('overallRank', { rank: formatNumber(team.rank) })}</span>
          ) : (
            team.organization && <span className="truncate">{team.organization}</span>
          )}
          {bloods.some((count) => count > 0) && <BloodTally bloods={bloods} />}
        </span>
      </span>
      <span className={styles.right}>
        <b>
          {formatNumber(team.score)}
          <span className="visually-hidden"> {t('pointsWord')}</span>
        </b>
        <span className={styles.count}>
          {formatNumber(team.solvedCount)} / {formatNumber(total)}
          <span className="visually-hidden"> {t('solvedWord')}</span>
        </span>
      </span>
    </button>
  )
})
