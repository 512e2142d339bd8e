import { ownOperations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import { ChevronLeft, ChevronRight, Flag, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ChallengeHealthTable } from '../../components/challenge-health/challenge-health-table.tsx'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button, ButtonLink, IconButton } from '../../components/ui/button.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { useNumberParam } from '../../lib/game.ts'
import { ApiError } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { Attachment } from './attachment.tsx'
import { ChallengeFrame } from './challenge-frame.tsx'
import { WorkspaceBody } from './challenge-workspace.tsx'
import { Hints } from './hints.tsx'

/** The challenges of a game for monitors and admins who do not play it: text, files and state, without flag forms. */
export function ReadOnlyScreen({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('challenges')
  const { role } = useSession()
  const opened = useNumberParam('chalId')
  const navigate = useNavigate()
  const { data: challenges, error, mutate } = useCall(ownOperations.listMonitoredChallenges, { params: { id: gameId } })
  const isAdmin = hasRole(role, 'Admin')
  const at = challenges?.findIndex(({ id }) => id === opened) ?? -1
  const go = (id: number | undefined) =>
    void navigate(paths.challenges.to(gameId, id), { replace: true, preventScrollReset: true })
  return (
    <div className="stack">
      <Alert
        title={t(isAdmin ? 'gate.Admin' : 'gate.Monitor')}
        actions={
          <>
            <ButtonLink to={isAdmin ? paths.adminGameChallenges.to(gameId) : paths.monitor.to(gameId)}>
              {t(isAdmin ? 'gate.toAdmin' : 'gate.toMonitor')}
            </ButtonLink>
            <ButtonLink variant="ghost" to={paths.game.to(gameId)}>
              {t('gate.joinToo')}
            </ButtonLink>
          </>
        }
      >
        {t(isAdmin ? 'gate.AdminText' : 'gate.MonitorText')}
      </Alert>
      {!challenges && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {!challenges && !error && <TableSkeleton dense columns={['60%', '32px', '32px', '60%', '80px']} />}
      {challenges?.length === 0 && (
        <EmptyState icon={Flag} title={t('readOnly.emptyTitle')}>
          {t('readOnly.emptyText')}
        </EmptyState>
      )}
      {challenges && challenges.length > 0 && (
        <ChallengeHealthTable
          label={t('title')}
          challenges={challenges}
          challengeTo={(id) => paths.challenges.to(gameId, id)}
          instancesTo={({ id, title }) =>
            isAdmin
              ? paths.adminInstances.to({ q: title })
              : paths.monitorTraffic.to(gameId, { challenge: id, view: 'connections' })
          }
        />
      )}
      {opened !== undefined && (
        <ReadOnlyDialog
          key={opened}
          gameId={gameId}
          id={opened}
          previous={challenges?.[at - 1]?.id}
          next={at < 0 ? undefined : challenges?.[at + 1]?.id}
          onGo={go}
        />
      )}
    </div>
  )
}

interface ReadOnlyDialogProps {
  readonly gameId: number
  readonly id: number
  readonly previous: number | undefined
  readonly next: number | undefined
  /** @param id undefined: back to the list */
  readonly onGo: (id: number | undefined) => void
}

function ReadOnlyDialog({ gameId, id, previous, next, onGo }: ReadOnlyDialogProps) {
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
      facts={view && { bloods: [], solved: view.solved, score: view.score }}
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
        <WorkspaceBody content={view.content} labels={undefined}>
          {view.attachment && <Attachment url={view.attachment.url} size={view.attachment.fileSize} />}
          {view.hasTeamFiles && <p className="muted">{t('readOnly.teamFiles')}</p>}
          <Hints hints={view.hints} />
          {!view.attachment && !view.hasTeamFiles && view.hints.length === 0 && (
            <p className="muted">{t('readOnly.nothingElse')}</p>
          )}
        </WorkspaceBody>
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
