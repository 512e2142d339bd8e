import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import type { GameDetail } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import type { GamePhase } from '@capstan/contract/phases'
import type { BoardChallenge, PlayerBoard } from '@capstan/contract/scoreboard'
import type { LockedChallenge } from '@capstan/contract/unlock'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { useLayoutEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { ApiError, isResponseLost } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { typeAhead } from '../../lib/type-ahead.ts'
import { PracticedMark, SolvedMark } from './challenge-cards.tsx'
import { ChallengeFrame } from './challenge-frame.tsx'
import { ChallengeWorkspace } from './challenge-workspace.tsx'
import { LockedContent } from './locked-content.tsx'

/**
 * This module also exports the dialogs for the editor and for monitors, which use the same components. If those dialogs were in a
 * separate module, the bundler would move the shared components to a third file. Players would have to load that file, too.
 */
export { ChallengePreview } from './challenge-preview.tsx'
export { ReadOnlyChallengeDialog } from './read-only-dialog.tsx'

type ChallengeDialogProps = Readonly<{
  game: GameDetail
  phase: GamePhase
  board: PlayerBoard
  id: number
  labels: ChallengeLabels | undefined
  /** Condition that unlocks the challenge. Undefined if the challenge is not locked. */
  lock: LockedChallenge | undefined
  addressOf: (id: number) => string
  previous: BoardChallenge | undefined
  next: BoardChallenge | undefined
  /** True if the player solved the challenge after the end of the game. */
  isPracticed: boolean
  nextUnsolved: BoardChallenge | undefined
  onGo: (id: number) => void
  onClose: () => void
}>

export function ChallengeDialog(props: ChallengeDialogProps) {
  const { game, phase, board, id, labels, lock, addressOf, previous, next, isPracticed, nextUnsolved, onGo, onClose } = props
  const { t } = useTranslation('challenges')
  const { data: view, error, mutate } = useCall(operations.getChallenge, lock ? null : { params: { id: game.id, cid: id } })
  const brief = useMemo(
    () =>
      Object.values(board.challenges)
        .flat()
        .find((challenge) => challenge.id === id),
    [board.challenges, id],
  )
  const title = view?.title ?? brief?.title ?? ''
  const isSolved = board.rank?.solvedChallenges.some((solve) => solve.id === id) ?? false
  const isMissing = !view && error instanceof ApiError && error.httpStatus === 404

  const step = (by: 1 | -1) => {
    const to = by === 1 ? next : previous
    if (to) onGo(to.id)
  }
  // In this dialog, only arrow keys are shortcuts, because players type flags, which contain letters.
  useShortcuts({ ArrowRight: () => step(1), ArrowLeft: () => step(-1) }, { inWorkspace: true })
  // If an outage hides the details, the player can still type a flag. The page sends the flag when the platform is available
  // again.
  const hasForm = !lock && (view !== undefined || !error || isResponseLost(error))
  useLayoutEffect(() => {
    if (!hasForm) typeAhead.cancel()
  }, [hasForm])

  return (
    <ChallengeFrame
      id={id}
      title={title || t('title')}
      category={(view ?? brief)?.category}
      facts={brief}
      mark={isSolved ? <SolvedMark /> : isPracticed && <PracticedMark />}
      steps={
        <>
          <IconButton label={t('dialog.previous')} disabled={!previous} onClick={() => step(-1)}>
            <ChevronLeft />
          </IconButton>
          <IconButton label={t('dialog.next')} disabled={!next} onClick={() => step(1)}>
            <ChevronRight />
          </IconButton>
          <IconButton label={t('dialog.close')} onClick={onClose}>
            <X />
          </IconButton>
        </>
      }
      onClose={onClose}
      returnFocus={() => document.querySelector<HTMLElement>(`[data-challenge="${id}"]`)}
    >
      {lock && <LockedContent lock={lock} board={board} addressOf={addressOf} onClose={onClose} />}
      {!lock && !view && error && !isMissing && <ErrorState error={error} onRetry={() => mutate()} />}
      {hasForm && (
        <ChallengeWorkspace
          key={id}
          game={game}
          phase={phase}
          board={board}
          id={id}
          title={title}
          view={view}
          labels={labels}
          isPracticed={isPracticed}
          onNextUnsolved={nextUnsolved && (() => onGo(nextUnsolved.id))}
          onStep={step}
          onClose={onClose}
        />
      )}
      {isMissing && (
        <EmptyState title={t('dialog.goneTitle')} actions={<Button onClick={onClose}>{t('dialog.backToBoard')}</Button>}>
          {t('dialog.goneText')}
        </EmptyState>
      )}
    </ChallengeFrame>
  )
}
