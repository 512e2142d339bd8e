import { operations, ownOperations } from '@capstan/contract/operations'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { NotFoundPage } from '../../../components/layout/not-found.tsx'
import { PageLayout } from '../../../components/layout/page.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { ChallengeEditor } from '../../../features/admin-challenges/challenge-editor.tsx'
import { EditorSkeleton } from '../../../features/admin-challenges/editor-skeleton.tsx'
import { useGameId, useNumberInAddress } from '../../../lib/game.ts'
import { ApiError } from '../../../lib/http.ts'
import { loadApplicationFile } from '../../../lib/load-file.ts'
import { useCall } from '../../../lib/server-state.ts'

/** Preview of the challenge. Its code is in the same file as the players' dialog, so that players load no additional file. */
const ChallengePreview = lazy(() =>
  loadApplicationFile(() => import('../../../features/challenges/challenge-dialog.tsx')).then((file) => ({
    default: file.ChallengePreview,
  })),
)

export function Route() {
  const cid = useNumberInAddress('chalId')
  return cid === undefined ? <NotFoundPage /> : <Challenge cid={cid} />
}

function Challenge({ cid }: { readonly cid: number }) {
  const { t } = useTranslation('admin-challenges')
  const id = useGameId()
  const { data: game } = useCall(operations.adminGetGame, { params: { id } })
  const {
    data: whole,
    error,
    mutate,
  } = useCall(
    ownOperations.getFullChallenge,
    { params: { id, cid } },
    // Read the test container every 1.5 seconds while it starts.
    { refreshInterval: (known) => (known?.testContainer?.status === 'Pending' ? 1500 : 10_000) },
  )
  const shown = whole && game && { whole, game }
  if (error instanceof ApiError && error.httpStatus === 404) return <NotFoundPage />
  return (
    <PageLayout width="wide" title={whole?.challenge.title ?? t('list.challenge')} headingBelow={shown !== undefined} hideTitle>
      {!shown && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {!shown && !error && <EditorSkeleton />}
      {shown && (
        <ChallengeEditor
          key={shown.whole.id}
          {...shown}
          renderPreview={(previewed, onClose, returnTo) => (
            <Suspense>
              <ChallengePreview
                challenge={previewed}
                label={t('preview.label')}
                note={t('preview.note')}
                onClose={onClose}
                returnFocus={() => document.getElementById(returnTo)}
              />
            </Suspense>
          )}
        />
      )}
    </PageLayout>
  )
}
