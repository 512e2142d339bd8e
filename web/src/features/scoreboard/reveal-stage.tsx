import type { GameDetail } from '@capstan/contract/games'
import { hasRole } from '@capstan/contract/roles'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { Eye, RotateCcw, StepBack, StepForward } from 'lucide-react'
import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { useAction } from '../../components/ui/form.ts'
import { Select } from '../../components/ui/input.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useScoreboard } from '../../lib/game.ts'
import { setBoardRevealed } from '../../lib/reveal.ts'
import { useSession } from '../../lib/session.ts'
import styles from './projector.module.css'
import { computeRowsAfterSteps, planRevealSteps, type Reveal, type RevealStep } from './reveal.ts'
import { findDivision, listTeamsOfDivision } from './standings.ts'
import { rowHeight, useFittingRowCount } from './use-fitting-row-count.ts'

type RevealStageProps = Readonly<{
  game: GameDetail
  division: string
}>

type Boards = Readonly<Record<'frozen' | 'live', Scoreboard>>

/**
 * Shows the reveal of a frozen board, step by step. It uses copies of the frozen and the live board, so that users can repeat the
 * reveal.
 */
export function RevealStage({ game, division }: RevealStageProps) {
  const frozen = useScoreboard(game.id)
  const live = useScoreboard(game.id, { view: 'live' })
  const [boards, setBoards] = useState<Boards>()
  if (!boards && frozen.data && live.data) setBoards({ frozen: frozen.data, live: live.data })
  const failed = [frozen, live].find(({ data, error }) => !data && error)
  if (boards) return <Stage game={game} boards={boards} division={division} />
  return (
    <section className={styles.stage}>
      {failed?.error ? <ErrorState error={failed.error} onRetry={() => failed.mutate()} /> : <SkeletonLines count={8} />}
    </section>
  )
}

const intervals = ['', '2', '4', '8'] as const

function Stage({ game, boards, division: wanted }: RevealStageProps & { readonly boards: Boards }) {
  const { t } = useTranslation('scoreboard')
  const { role } = useSession()
  const reveal = useMemo(() => {
    const division = findDivision(boards.live, wanted)
    return planRevealSteps(listTeamsOfDivision(boards.frozen, division), listTeamsOfDivision(boards.live, division))
  }, [boards, wanted])
  const total = reveal.steps.length
  const [done, setDone] = useState(0)
  const [seconds, setSeconds] = useState<(typeof intervals)[number]>('')
  const isOver = done === total
  const move = useRef((_: number) => undefined as unknown)
  move.current = (by: number) => setDone(Math.min(Math.max(done + by, 0), total))
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isForward = event.key === 'ArrowRight' || event.key === 'ArrowDown' || event.key === ' '
      const isBack = event.key === 'ArrowLeft' || event.key === 'ArrowUp'
      // A focused button or select handles these keys itself.
      const isControl = event.target instanceof Element && event.target.closest('button, select') !== null
      if ((!isForward && !isBack) || (isControl && (event.key === ' ' || event.target instanceof HTMLSelectElement))) return
      event.preventDefault()
      move.current(isForward ? 1 : -1)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (seconds === '' || isOver) return
    const timer = setInterval(() => move.current(1), Number(seconds) * 1000)
    return () => clearInterval(timer)
  }, [seconds, isOver])
  const revealForAll = useAction(() => setBoardRevealed(game.id, true))
  const isRevealed = game.revealed != null
  return (
    <section className={styles.stage} aria-label={t('reveal.title')}>
      <p className={cx('wrap-anywhere', styles.caption)} role="status">
        <Caption reveal={reveal} done={done} titles={boards.live} />
      </p>
      <StageRows reveal={reveal} done={done} />
      <div className={cx('row', styles.controls)}>
        <Button autoFocus variant="primary" disabled={isOver} onClick={() => move.current(1)}>
          <StepForward aria-hidden />
          {t('reveal.next')}
        </Button>
        <Button disabled={done === 0} onClick={() => move.current(-1)}>
          <StepBack aria-hidden />
          {t('reveal.back')}
        </Button>
        <Button disabled={done === 0} onClick={() => setDone(0)}>
          <RotateCcw aria-hidden />
          {t('reveal.again')}
        </Button>
        <Select
          aria-label={t('reveal.timer')}
          value={seconds}
          onValueChange={setSeconds}
          options={intervals.map((value) => ({
            value,
            label: value === '' ? t('reveal.byHand') : t('reveal.every', { value: formatNumber(Number(value)) }),
          }))}
        />
        <span className="number muted">{t('reveal.progress', { done: formatNumber(done), total: formatNumber(total) })}</span>
        {isOver && hasRole(role, 'Admin') && !isRevealed && (
          <Button busy={revealForAll.busy} onClick={() => void revealForAll.run()}>
            <Eye aria-hidden />
            {t('reveal.forAll')}
          </Button>
        )}
        {isRevealed && <span>{t('reveal.isForAll')}</span>}
        {revealForAll.error !== undefined && <ErrorText error={revealForAll.error} />}
      </div>
    </section>
  )
}

type CaptionProps = Readonly<{ reveal: Reveal; done: number; titles: Pick<Scoreboard, 'challenges'> }>

/** Text that describes the most recent step. */
function Caption({ reveal: { steps, contenders }, done, titles }: CaptionProps) {
  const { t } = useTranslation('scoreboard')
  const step: RevealStep | undefined = steps[done - 1]
  if (done === steps.length && step === undefined) return t('reveal.nothing')
  if (step === undefined) return t('reveal.start')
  if (step.kind === 'values') return t('reveal.values')
  const challenges = Object.values(titles.challenges).flat()
  const title = challenges.find(({ id }) => id === step.gain.challengeId)?.title ?? t('team.award')
  return (
    <>
      <bdi>{contenders.find(({ team }) => team.id === step.teamId)?.team.name}</bdi>
      {' · '}
      <bdi>{title}</bdi>
      {' · '}
      <b className="number">+{formatNumber(step.gain.points)}</b>
      {step.to < step.from && (
        <span className="muted">
          {' '}
          · {t('reveal.moved', { from: formatNumber(step.from + 1), to: formatNumber(step.to + 1) })}
        </span>
      )}
    </>
  )
}

/** List of the teams around the team whose score changed last. */
function StageRows({ reveal, done }: Pick<CaptionProps, 'reveal' | 'done'>) {
  const { t } = useTranslation('scoreboard')
  const list = useRef<HTMLOListElement>(null)
  const fitting = useFittingRowCount(list)
  const rows = useMemo(() => computeRowsAfterSteps(reveal, done), [reveal, done])
  const step = reveal.steps[done - 1]
  const focus = step?.kind === 'gain' ? step.to : rows.length - 1
  const top = Math.max(0, Math.min(focus - Math.floor(fitting / 2), rows.length - fitting))
  // Rows above and below the visible ones are rendered too, so that they can move into view.
  const shown = rows.map((row, place) => ({ ...row, place })).slice(Math.max(0, top - fitting), top + 2 * fitting)
  return (
    <ol ref={list} className={cx('frame clip', styles.stageRows)}>
      {shown
        .toSorted((one, other) => one.team.id - other.team.id)
        .map(({ team, score, hidden, place }) => (
          <li
            key={team.id}
            aria-posinset={place + 1}
            aria-setsize={rows.length}
            aria-current={step?.kind === 'gain' && step.teamId === team.id ? 'step' : undefined}
            style={{ '--offset': `${(place - top) * rowHeight}px` } as CSSProperties}
          >
            <span className={cx('muted number', styles.rank)} data-top={place < 3 ? place + 1 : undefined}>
              {formatNumber(place + 1)}
            </span>
            <Avatar team name={team.name} src={team.avatar} size={32} />
            <bdi className="truncate">{team.name}</bdi>
            <span className={cx('muted size-16', styles.hiddenGains)}>
              {hidden > 0 && t('reveal.hidden', { count: hidden, value: formatNumber(hidden) })}
            </span>
            <span className={cx('figure', styles.score)}>{formatNumber(score)}</span>
          </li>
        ))}
    </ol>
  )
}
