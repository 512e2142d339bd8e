import type { BoardView } from '@capstan/contract/board-view'
import type { GameDetail } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { useQueryState } from '../../lib/query-state.ts'
import { createBoardInput } from '../../lib/scoreboard.ts'
import { useCall } from '../../lib/server-state.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { ErrorState } from '../ui/states.tsx'
import styles from './board.module.css'

/** Step of the slider, in ms. The server has one past board for each whole minute. */
const stepMs = 60_000

/** Time between the last move of the slider and the request for the board, in ms. */
const settleMs = 200

function minuteOf(ms: number) {
  return Math.floor(ms / stepMs) * stepMs
}

/** Returns the first minute of a game, and the last minute of the game that is not in the future. */
function spanOf({ start, end }: GameDetail, now: number) {
  const first = minuteOf(Date.parse(start))
  return { first, last: Math.max(first, minuteOf(Math.min(now, Date.parse(end)))) }
}

export type PastBoard = ReturnType<typeof usePastBoard>

/**
 * Reads the past board of the minute that the address selects. If the address selects no minute, `at` is undefined, and the page
 * shows the current board.
 */
export function usePastBoard(game: GameDetail | undefined, now: number, view: BoardView) {
  const { get, set } = useQueryState()
  const [isOpen, setOpen] = useState(false)
  const asked = get('at')
  const span = game && spanOf(game, now)
  const at = span && /^\d{1,15}$/.test(asked) ? Math.min(Math.max(minuteOf(Number(asked)), span.first), span.last) : undefined
  const known = game && createBoardInput(game.id, view)
  const input = known && at !== undefined ? { ...known, query: { ...known.query, at } } : null
  const { data, error, isValidating, mutate } = useCall(ownOperations.getPastScoreboard, input, {
    refreshInterval: 0,
    revalidateOnFocus: false,
    keepPreviousData: true,
  })
  return {
    ...{ span, at, error, retry: () => mutate() },
    board: at === undefined ? undefined : data,
    isLoading: at !== undefined && isValidating,
    isOpen: isOpen || at !== undefined,
    show: (ms: number | undefined) => set({ at: ms === undefined ? undefined : String(ms) }),
    toggle() {
      if (at !== undefined) set({ at: undefined })
      setOpen(!isOpen && at === undefined)
    },
  }
}

/** Slider that selects the minute of the board. Its last position is the current board. */
export function PastSlider({ past }: { readonly past: PastBoard }) {
  const { t } = useTranslation('scoreboard')
  const { span, at, show, error, isLoading } = past
  const [moved, setMoved] = useState<number>()
  const last = span?.last ?? 0
  useEffect(() => {
    if (moved === undefined) return
    const timer = setTimeout(() => {
      show(moved >= last ? undefined : moved)
      setMoved(undefined)
    }, settleMs)
    return () => clearTimeout(timer)
  })
  if (!span) return null
  const shown = moved ?? at ?? span.last
  const text = shown >= span.last ? t('past.now') : formatDateTime(shown)
  return (
    <>
      <div className={cx('row', styles.past)} aria-busy={isLoading}>
        <label className={styles.pastRange}>
          <span className="visually-hidden">{t('past.time')}</span>
          <input
            type="range"
            min={span.first}
            max={span.last}
            step={stepMs}
            value={shown}
            aria-valuetext={text}
            onChange={(event) => setMoved(Number(event.target.value))}
          />
        </label>
        <output className="number small nowrap">{text}</output>
        <Button size="small" disabled={at === undefined} onClick={() => show(undefined)}>
          {t('past.back')}
        </Button>
      </div>
      {error && <ErrorState error={error} onRetry={past.retry} />}
    </>
  )
}
