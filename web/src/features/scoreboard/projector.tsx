import type { GameDetail } from '@capstan/contract/games'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { X } from 'lucide-react'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { Button } from '../../components/ui/button.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { formatClock, formatNumber } from '../../lib/format.ts'
import { phaseOf } from '../../lib/game.ts'
import { useFullScreen } from '../../lib/use-full-screen.ts'
import { BloodBand } from './blood-band.tsx'
import { BloodTally } from './blood-tally.tsx'
import styles from './projector.module.css'
import { type ChallengeColumn, latestSolves, overall, standingOf } from './standings.ts'
import type { TimelineLine, TimelineSpan } from './timeline.ts'
import { TimelineChart } from './timeline-chart.tsx'

type ProjectorModeProps = Readonly<{
  game: GameDetail
  teams: readonly ScoreboardTeam[]
  division: string
  columns: readonly ChallengeColumn[]
  lines: readonly TimelineLine[]
  span: TimelineSpan
  onClose: () => void
}>

const latestCount = 5

/** Board for a projector: large, without controls, and with as many teams as fit. Escape or its only button closes it. */
export function ProjectorMode({ game, teams, division, columns, lines, span, onClose }: ProjectorModeProps) {
  const { t } = useTranslation('scoreboard')
  const frame = useFullScreen(onClose)
  const now = useNow()
  const close = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const before = document.activeElement
    close.current?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const list = useRef<HTMLOListElement>(null)
  const fitting = useFittingRows(list)
  const latest = useMemo(() => latestSolves(teams, columns, latestCount), [teams, columns])
  const shown = teams.slice(0, fitting)
  const rest = teams.length - shown.length
  const running = phaseOf(game, now) === 'running'
  return createPortal(
    <div ref={frame} role="dialog" aria-modal="true" aria-label={t('projector.title')} className={styles.projector}>
      <BloodBand gameId={game.id} />
      <header className={styles.head}>
        <h2 className="truncate">
          <bdi>{game.title}</bdi>
          {division !== overall && (
            <span className={styles.division}>
              <bdi>{division}</bdi>
            </span>
          )}
        </h2>
        <span className={styles.clock}>
          {running ? (
            <>
              {t('projector.endsIn')} <Countdown until={game.end} className={styles.time ?? ''} />
            </>
          ) : (
            <b>{t('projector.ended')}</b>
          )}
        </span>
        <Button ref={close} variant="ghost" aria-label={t('projector.close')} onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      <section className={styles.chart} aria-label={t('chart.title')}>
        <TimelineChart large lines={lines} span={span} ownTeamId={undefined} />
      </section>
      <section className={styles.latest} aria-label={t('projector.latest')}>
        <h3>{t('projector.latest')}</h3>
        {latest.length === 0 && <p className="muted">{t('projector.noSolves')}</p>}
        <ol>
          {latest.map(({ team, title, category, place, time, id, score }) => {
            const Icon = categoryIcons[category]
            return (
              <li key={`${team.id}-${id}`}>
                <span className="number faint">{formatClock(time)}</span>
                <bdi className="truncate">{team.name}</bdi>
                <span className={styles.challenge} data-category={category}>
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
      <section className={styles.standings} aria-label={t('projector.standings')}>
        <ol ref={list}>
          {shown.map((team) => {
            const { rank, bloods } = standingOf(team, division)
            return (
              <li key={team.id}>
                <span className={styles.rank} data-top={rank <= 3 ? rank : undefined}>
                  {formatNumber(rank)}
                </span>
                <Avatar team name={team.name} src={team.avatar} size={32} />
                <bdi className="truncate">{team.name}</bdi>
                <span className={styles.tally}>{bloods.some((count) => count > 0) && <BloodTally bloods={bloods} />}</span>
                <span className={styles.score}>{formatNumber(team.score)}</span>
              </li>
            )
          })}
        </ol>
        {rest > 0 && <p className={styles.rest}>{t('projector.more', { count: rest, value: formatNumber(rest) })}</p>}
      </section>
    </div>,
    document.body,
  )
}

const rowHeight = 52

function useFittingRows(list: RefObject<HTMLElement | null>): number {
  const [count, setCount] = useState(10)
  useEffect(() => {
    const element = list.current
    if (!element) return
    const observer = new ResizeObserver(() => setCount(Math.max(3, Math.floor(element.clientHeight / rowHeight))))
    observer.observe(element)
    return () => observer.disconnect()
  }, [list])
  return count
}
