import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import type { GameDetail } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import type { GamePhase } from '@capstan/contract/phases'
import type { BoardChallenge, PlayerBoard } from '@capstan/contract/scoreboard'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { type ClipboardEvent, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { ApiError } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'
import { isWriting, useShortcuts } from '../../lib/shortcuts.ts'
import { type Command, useCommands } from '../../stores/commands.ts'
import { SolvedTick } from './challenge-cards.tsx'
import { ChallengeFrame } from './challenge-frame.tsx'
import { ChallengeWorkspace } from './challenge-workspace.tsx'
import styles from './dialog.module.css'
import { useFlagDrafts } from './flag-drafts.ts'

/** Comes in the same file, which players have; the editor shows it. */
export { ChallengePreview } from './challenge-preview.tsx'
/** Comes in the same file for monitors. */
export { ReadOnlyDialog } from './read-only-dialog.tsx'

interface ChallengeDialogProps {
  readonly game: GameDetail
  readonly phase: GamePhase
  readonly board: PlayerBoard
  readonly id: number
  readonly labels: ChallengeLabels | undefined
  readonly previous: BoardChallenge | undefined
  readonly next: BoardChallenge | undefined
  /** Where to go on after this one. */
  readonly nextUnsolved: BoardChallenge | undefined
  readonly onGo: (id: number) => void
  readonly onClose: () => void
}

/** One challenge, over the board. */
export function ChallengeDialog(props: ChallengeDialogProps) {
  const { game, phase, board, id, labels, previous, next, nextUnsolved, onGo, onClose } = props
  const { t } = useTranslation('challenges')
  const flag = useRef<HTMLInputElement>(null)
  const { data: view, error, mutate } = useCall(operations.getChallenge, { params: { id: game.id, cid: id } })
  const brief = useMemo(
    () =>
      Object.values(board.challenges)
        .flat()
        .find((challenge) => challenge.id === id),
    [board.challenges, id],
  )
  const isSolved = board.rank?.solvedChallenges.some((solve) => solve.id === id) ?? false
  const isGone = !view && error instanceof ApiError && error.httpStatus === 404

  const goPrevious = () => previous && onGo(previous.id)
  const goNext = () => next && onGo(next.id)
  useShortcuts(
    { j: goNext, ArrowRight: goNext, k: goPrevious, ArrowLeft: goPrevious, f: () => flag.current?.focus() },
    { inWorkspace: true },
  )
  useCommands(
    'challenge-dialog',
    useMemo<readonly Command[]>(
      () =>
        isSolved
          ? []
          : [
              {
                id: 'flag',
                group: t('title'),
                label: t('dialog.goToFlag'),
                shortcut: 'f',
                run: () => requestAnimationFrame(() => flag.current?.focus()),
              },
            ],
      [t, isSolved],
    ),
  )

  /** Text that is pasted outside of any field goes into the flag field. */
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text/plain').trim()
    if (isWriting(event.target) || text === '' || !flag.current) return
    event.preventDefault()
    useFlagDrafts.getState().write(id, text)
    flag.current.focus()
  }

  return (
    <ChallengeFrame
      id={id}
      title={view?.title ?? brief?.title ?? t('title')}
      category={(view ?? brief)?.category}
      facts={brief}
      mark={isSolved && <SolvedTick />}
      steps={
        <>
          <IconButton label={t('dialog.previous')} disabled={!previous} onClick={goPrevious}>
            <ChevronLeft />
          </IconButton>
          <IconButton label={t('dialog.next')} disabled={!next} onClick={goNext}>
            <ChevronRight />
          </IconButton>
          <IconButton label={t('dialog.close')} onClick={onClose}>
            <X />
          </IconButton>
        </>
      }
      onClose={onClose}
      onPaste={paste}
      returnFocus={() => document.querySelector<HTMLElement>(`[data-challenge="${id}"]`)}
    >
      {view && (
        <ChallengeWorkspace
          key={id}
          game={game}
          phase={phase}
          board={board}
          view={view}
          labels={labels}
          flag={flag}
          onNextUnsolved={nextUnsolved && (() => onGo(nextUnsolved.id))}
          onClose={onClose}
        />
      )}
      {isGone && (
        <EmptyState title={t('dialog.goneTitle')} actions={<Button onClick={onClose}>{t('dialog.backToBoard')}</Button>}>
          {t('dialog.goneText')}
        </EmptyState>
      )}
      {!view && error && !isGone && <ErrorState error={error} onRetry={() => mutate()} />}
      {!view && !error && (
        <div className={cx(styles.body, styles.coming)} aria-hidden>
          <div className={styles.text}>
            <SkeletonLines count={6} />
          </div>
          <div className={styles.side}>
            <SkeletonLines count={4} />
          </div>
        </div>
      )}
    </ChallengeFrame>
  )
}
