import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { memo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { formatNumber } from '../../lib/format.ts'
import { BloodTally } from './blood-tally.tsx'
import { hasPinnedOwnRow, isLongerThanSight, listRow } from './grid-layout.ts'
import styles from './list.module.css'
import { getStanding, overall, type Standing } from './standings.ts'
import { useRenderedRows } from './use-rows-in-sight.ts'

type StandingsListProps = Readonly<{
  teams: readonly ScoreboardTeam[]
  division: string
  total: number
  own: Standing | undefined
  /**
   * True if `own` is undefined now but may be known soon. A placeholder then reserves the space for the team's row at the top.
   */
  isOwnExpected?: boolean
  risen: ReadonlySet<number>
  onOpen: (teamId: number) => void
}>

export function StandingsList({ teams, division, total, own, isOwnExpected, risen, onOpen }: StandingsListProps) {
  const { t } = useTranslation('scoreboard')
  const list = useRef<HTMLUListElement>(null)
  const { drawn } = useRenderedRows(list, { count: teams.length, size: listRow, around: 8, block: 2 })
  const shared = { showOverallRank: division !== overall, total, onOpen }
  return (
    <div className="frame">
      {own && hasPinnedOwnRow(own.team.id, teams) && (
        <div className={styles.pinned}>
          <ListRow {...shared} standing={own} own risen={risen.has(own.team.id)} />
        </div>
      )}
      {isOwnExpected && isLongerThanSight(teams) && (
        <div className={cx(styles.pinned, styles.expected)} style={{ blockSize: `${listRow}px` }}>
          <Skeleton width="200px" height="14px" />
        </div>
      )}
      <ul
        ref={list}
        aria-label={t('table')}
        className={styles.list}
        data-moving={risen.size > 0}
        style={{ blockSize: `${teams.length * listRow}px` }}
      >
        {teams.slice(drawn.from, drawn.to).map((team, offset) => {
          const index = drawn.from + offset
          return (
            <li
              key={team.id}
              aria-setsize={teams.length}
              aria-posinset={index + 1}
              style={{ translate: `0 ${index * listRow}px` }}
            >
              <ListRow
                {...shared}
                standing={getStanding(team, division)}
                own={team.id === own?.team.id}
                risen={risen.has(team.id)}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}

type ListRowProps = Readonly<{
  standing: Standing
  showOverallRank: boolean
  total: number
  own: boolean
  risen: boolean
  onOpen: (teamId: number) => void
}>

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
      <span className="stack gap-0">
        <bdi className="truncate medium">{team.name}</bdi>
        <span className="line gap-2 faint tiny">
          {showOverallRank
            ? team.rank > 0 && <span>{t('overallRank', { rank: formatNumber(team.rank) })}</span>
            : team.organization && <bdi className="truncate">{team.organization}</bdi>}
          {bloods.some((count) => count > 0) && <BloodTally bloods={bloods} />}
        </span>
      </span>
      <span className="stack gap-0 ends number">
        <b>
          {formatNumber(team.score)}
          <span className="visually-hidden"> {t('pointsWord')}</span>
        </b>
        <span className="faint tiny">
          {formatNumber(team.solvedCount)} / {formatNumber(total)}
          <span className="visually-hidden"> {t('solvedWord')}</span>
        </span>
      </span>
    </button>
  )
})
