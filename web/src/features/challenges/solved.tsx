import type { SolvedChallenge } from '@capstan/contract/scoreboard'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { ArrowRight } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCountUp } from '../../components/ui/animated-number.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { Button, type ButtonProps } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import { ProgressWheel } from '../../components/wheel.tsx'
import { type FlagAnswer, findGainedPoints } from '../../lib/flag-answer.ts'
import { formatNumber } from '../../lib/format.ts'
import { playBloodSound } from '../../lib/notice-sound.ts'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import styles from './dialog.module.css'
import { animateTickToCard } from './fly-tick.ts'

type SolvedProps = Readonly<{
  solve: SolvedChallenge
  answer: FlagAnswer
  /** Current rank of the team. 0 if the team is not on the board. */
  rank: number
  /** Opens the next unsolved challenge. Undefined if there is none. */
  onNext: (() => void) | undefined
  onBoard: () => void
}>

/** Replaces the flag form after the solve. It shows the result and the next step. */
export function SolvedPanel({ solve, answer, rank, onNext, onBoard }: SolvedProps) {
  const { t } = useTranslation('challenges')
  const main = useRef<HTMLButtonElement>(null)
  // The focused field was removed, so move the focus.
  const wasHere = answer.kind === 'right'
  useEffect(() => {
    if (wasHere && (document.activeElement === document.body || !document.activeElement)) main.current?.focus()
  }, [wasHere])
  const place = bloodPlace(solve.type)
  const gain = findGainedPoints(answer)
  const wheel = useRef<HTMLSpanElement>(null)
  const isFresh = gain !== undefined
  // The decorative wheel starts one notch before its final position, so that it visibly turns.
  const [notches, setNotches] = useState(0)
  useEffect(() => {
    if (!isFresh) return
    setNotches(1)
    if (wheel.current) animateTickToCard(wheel.current, solve.id)
    if (useNoticeAlerts.getState().moments) void playBloodSound().catch(() => undefined)
  }, [isFresh, solve.id])
  const shownPoints = useCountUp(solve.score, isFresh ? 0 : solve.score)
  const words = (points: number) => t('flag.solvedOwn', { points: t('flag.gain', { count: points }) })
  return (
    <section className={styles.flag} aria-label={t('solved')}>
      <div className={cx('stack gap-3 toned', styles.solved)} data-tone="ok" data-blood={place} data-fresh={isFresh || undefined}>
        <div className={styles.solvedHead} role="status">
          <span ref={wheel} className={styles.solvedMark}>
            {place === 1 ? <BloodMark place={1} size={30} /> : <ProgressWheel size={26} notches={notches} />}
          </span>
          <h3 className="number">
            {shownPoints === solve.score ? (
              words(solve.score)
            ) : (
              <>
                <span aria-hidden>{words(shownPoints)}</span>
                <span className="visually-hidden">{words(solve.score)}</span>
              </>
            )}
          </h3>
          <p className={cx('row muted small wrap-anywhere', styles.solvedFacts)}>
            {gain && gain.rankBefore > 0 && rank > 0 && gain.rankBefore !== rank && (
              <span>{t('flag.rankChange', { before: formatNumber(gain.rankBefore), after: formatNumber(rank) })}</span>
            )}
            {place !== undefined && (
              <span className="inline gap-1 medium">
                {place > 1 && <BloodMark place={place} />}
                {t(`blood.${bloodTypes[place - 1] ?? 'ThirdBlood'}`)}
              </span>
            )}
            {solve.userName && <span>{t('flag.by', { name: solve.userName })}</span>}
            <RelativeTime at={solve.time} />
          </p>
        </div>
        <ContinueButton ref={main} variant="primary" onNext={onNext} onBoard={onBoard} />
      </div>
    </section>
  )
}

type GoOnButtonProps = Pick<ButtonProps, 'ref' | 'variant'> & Pick<SolvedProps, 'onNext' | 'onBoard'>

/** Opens the next unsolved challenge, or returns to the board. */
export function ContinueButton({ onNext, onBoard, ...rest }: GoOnButtonProps) {
  const { t } = useTranslation('challenges')
  return (
    <Button {...rest} wide onClick={onNext ?? onBoard}>
      {onNext ? t('dialog.nextUnsolved') : t('dialog.backToBoard')}
      {onNext && <ArrowRight aria-hidden />}
    </Button>
  )
}
