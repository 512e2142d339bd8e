import { ownOperations } from '@capstan/contract/operations'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { ApiError } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { Attachment } from './attachment.tsx'
import { ChallengeFrame } from './challenge-frame.tsx'
import { ChallengeWorkspaceBody } from './challenge-workspace.tsx'
import { createFlagsNotYetFound, FlagPartList } from './flag-parts.tsx'
import { HintList } from './hints.tsx'

type ReadOnlyDialogProps = Readonly<{
  gameId: number
  id: number
  previous: number | undefined
  next: number | undefined
  /** @param id challenge to open, or undefined to return to the list */
  onGo: (id: number | undefined) => void
}>

/** Dialog of a challenge for monitors. It has no flag form. */
export function ReadOnlyChallengeDialog({ gameId, id, previous, next, onGo }: ReadOnlyDialogProps) {
  const { t } = useTranslation('challenges')
  const { data: view, error, mutate } = useCall(ownOperations.getMonitoredChallenge, { params: { id: gameId, cid: id } })
  const isMissing = !view && error instanceof ApiError && error.httpStatus === 404
  const goPrevious = () => previous !== undefined && onGo(previous)
  const goNext = () => next !== undefined && onGo(next)
  const close = () => onGo(undefined)
  useShortcuts({ j: goNext, ArrowRight: goNext, k: goPrevious, ArrowLeft: goPrevious }, { inWorkspace: true })
  return (
    <ChallengeFrame
      id={id}
      title={view?.title ?? t('title')}
      category={view?.category}
      facts={
        view && { bloods: [], solved: view.solved, score: view.flagPoints.reduce((sum, points) => sum + points, view.score) }
      }
      mark={view && !view.isEnabled && <Badge>{t('readOnly.disabled')}</Badge>}
      steps={
        <>
          <IconButton label={t('dialog.previous')} disabled={previous === undefined} onClick={goPrevious}>
            <ChevronLeft />
          </IconButton>
          <IconButton label={t('dialog.next')} disabled={next === undefined} onClick={goNext}>
            <ChevronRight />
          </IconButton>
          <IconButton label={t('dialog.close')} onClick={close}>
            <X />
          </IconButton>
        </>
      }
      onClose={close}
      returnFocus={() => document.querySelector<HTMLElement>(`[data-challenge="${id}"]`)}
    >
      {view && (
        <ChallengeWorkspaceBody content={view.content} labels={undefined}>
          {view.attachment && <Attachment url={view.attachment.url} size={view.attachment.fileSize} />}
          {view.hasTeamFiles && <p className="muted">{t('readOnly.teamFiles')}</p>}
          <HintList hints={view.hints.map((text, index) => ({ text, price: view.hintPrices[index] ?? 0 }))} />
          <FlagPartList parts={createFlagsNotYetFound(view.flagPoints)} />
          {!view.attachment && !view.hasTeamFiles && view.hints.length === 0 && (
            <p className="muted">{t('readOnly.nothingElse')}</p>
          )}
        </ChallengeWorkspaceBody>
      )}
      {isMissing && (
        <EmptyState title={t('dialog.goneTitle')} actions={<Button onClick={close}>{t('dialog.backToBoard')}</Button>}>
          {t('dialog.goneText')}
        </EmptyState>
      )}
      {!view && error && !isMissing && <ErrorState error={error} onRetry={() => mutate()} />}
      {!view && !error && <SkeletonLines count={6} />}
    </ChallengeFrame>
  )
}
