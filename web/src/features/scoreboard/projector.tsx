import type { GameDetail } from '@capstan/contract/games'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { Eye, Snowflake, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { useBoardChoice, useFrozenSince } from '../../components/board/board-view.tsx'
import { Avatar } from '../../components/ui/avatar.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { Button } from '../../components/ui/button.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { formatDate, formatListTime, formatNumber } from '../../lib/format.ts'
import { phaseOfGame, useScoreboard } from '../../lib/game.ts'
import { useFullScreen } from '../../lib/use-full-screen.ts'
import { BloodBand } from './blood-band.tsx'
import { BloodTally } from './blood-tally.tsx'
import styles from './projector.module.css'
import { RevealStage } from './reveal-stage.tsx'
import { findDivision, getStanding, listColumns, listLatestSolves, listTeamsOfDivision, overall } from './standings.ts'
import { getTimelineSpan, timeOfFirstSolve, toChartLines } from './timeline.ts'
import { TimelineChart } from './timeline-chart.tsx'
import { useFittingRowCount } from './use-fitting-row-count.ts'

type ProjectorModeProps = Readonly<{
  game: GameDetail
  /** Public scoreboard, if the page has read it. If it is undefined, the projector requests it. */
  board: Scoreboard | undefined
  division: string
  /** Current time in ms, rounded to half a minute. The lines of the chart end here. */
  now: number
  onClose: () => void
}>

const latestCount = 5
const emptyBoard: Pick<Scoreboard, 'challenges' | 'divisions' | 'items' | 'timeLines'> = {
  items: [],
  challenges: {},
  timeLines: {},
}

/** Returns the rows and lines of the public scoreboard. It requests the scoreboard if `given` is undefined. */
function useShownBoard({ game, board: given, division: wanted, now }: Omit<ProjectorModeProps, 'onClose'>) {
  const { data } = useScoreboard(given ? undefined : game.id)
  const board = given ?? data ?? emptyBoard
  const division = findDivision(board, wanted)
  const { start, end } = game
  return useMemo(() => {
    const timelines = board.timeLines[division] ?? []
    const span = getTimelineSpan({ start, end }, now, timeOfFirstSolve(timelines))
    const teams = listTeamsOfDivision(board, division)
    const latest = listLatestSolves(teams, listColumns(board, division), latestCount)
    return { division, teams, latest, span, lines: toChartLines(timelines, span) }
  }, [board, division, start, end, now])
}

/**
 * Scoreboard for a projector: large, and with as many teams as fit. The Escape key or a button closes it. Users with the monitor
 * role can reveal a frozen scoreboard here.
 */
export function ProjectorView({ onClose, ...shownProps }: ProjectorModeProps) {
  const { t } = useTranslation('scoreboard')
  const { game } = shownProps
  const { division, ...shown } = useShownBoard(shownProps)
  const frame = useFullScreen(onClose)
  const now = useNow()
  const isFrozen = useFrozenSince(game) !== undefined
  const canReveal = useBoardChoice(game).choose !== undefined
  const [isRevealing, setRevealing] = useState(false)
  const close = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const before = document.activeElement
    close.current?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const running = phaseOfGame(game, now) === 'running'
  return createPortal(
    <div ref={frame} role="dialog" aria-modal="true" aria-label={t('projector.title')} className={styles.projector}>
      <BloodBand gameId={game.id} />
      <header className={cx('line gap-6', styles.head)}>
        <h2 className="clamp wrap-anywhere">
          <bdi>{game.title}</bdi>
          {division !== overall && (
            <span className={cx('muted regular', styles.division)}>
              <bdi>{division}</bdi>
            </span>
          )}
        </h2>
        <span className={cx('muted', styles.clock)}>
          {running ? (
            <>
              {t('projector.endsIn')} <Countdown until={game.end} className={`figure bright ${styles.time}`} />
            </>
          ) : (
            !isFrozen && <b>{t('projector.ended')}</b>
          )}
        </span>
        {isFrozen && (
          <span className={cx('inline muted', styles.frozen)}>
            <Snowflake aria-hidden />
            {t('freeze.frozen')}
          </span>
        )}
        {(canReveal || isRevealing) && (
          <Button variant="ghost" aria-pressed={isRevealing} onClick={() => setRevealing(!isRevealing)}>
            <Eye aria-hidden />
            {t('reveal.title')}
          </Button>
        )}
        <Button ref={close} variant="ghost" aria-label={t('projector.close')} onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      {isRevealing ? <RevealStage game={game} division={division} /> : <Standings {...shown} division={division} />}
    </div>,
    document.body,
  )
}

type StandingsProps = ReturnType<typeof useShownBoard>

function Standings({ division, teams, latest, span, lines }: StandingsProps) {
  const { t } = useTranslation('scoreboard')
  const now = useNow(60_000)
  const list = useRef<HTMLOListElement>(null)
  const fitting = useFittingRowCount(list)
  const shown = teams.slice(0, fitting)
  const rest = teams.length - shown.length
  return (
    <>
      <section className={cx('frame', styles.chart)} aria-label={t('chart.title')}>
        <TimelineChart large lines={lines} span={span} ownTeamId={undefined} />
      </section>
      <section className={cx('frame', styles.latest)} aria-label={t('projector.latest')}>
        <h3 className="muted medium size-16">{t('projector.latest')}</h3>
        {latest.length === 0 && <p className="muted">{t('projector.noSolves')}</p>}
        <ol className="aligned">
          {latest.map(({ team, title, category, place, time, id, score }) => {
            const Icon = categoryIcons[category]
            return (
              <li key={`${team.id}-${id}`}>
                <span className="number faint">{formatListTime(time, formatDate(time) !== formatDate(now))}</span>
                <bdi className="truncate">{team.name}</bdi>
                <span className={cx('line', styles.challenge)} data-category={category}>
                  <Icon aria-hidden />
                  <bdi className="truncate">{title}</bdi>
                </span>
                <span>
                  {place && (
                    <BloodMark
                      place={place}
                      label={t(`blood.${place === 1 ? 'FirstBlood' : place === 2 ? 'SecondBlood' : 'ThirdBlood'}`)}
                    />
                  )}
                </span>
                <b className="number">+{formatNumber(score)}</b>
              </li>
            )
          })}
        </ol>
      </section>
      <section className={cx('frame clip', styles.standings)} aria-label={t('projector.standings')}>
        <ol ref={list} className="aligned">
          {shown.map((team) => {
            const { rank, bloods } = getStanding(team, division)
            return (
              <li key={team.id}>
                <span className={cx('muted number', styles.rank)} data-top={rank <= 3 ? rank : undefined}>
                  {formatNumber(rank)}
                </span>
                <Avatar team name={team.name} src={team.avatar} size={32} />
                <bdi className="truncate">{team.name}</bdi>
                <span className={styles.tally}>{bloods.some((count) => count > 0) && <BloodTally bloods={bloods} />}</span>
                <span className={cx('figure', styles.score)}>{formatNumber(team.score)}</span>
              </li>
            )
          })}
        </ol>
        {rest > 0 && (
          <p className={cx('faint size-16', styles.rest)}>{t('projector.more', { count: rest, value: formatNumber(rest) })}</p>
        )}
      </section>
    </>
  )
}
