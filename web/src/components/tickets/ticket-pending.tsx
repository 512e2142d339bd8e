import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../lib/http.ts'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'

type TicketPendingProps = Readonly<{
  /** Link to the list of tickets. */
  back: ReactNode
  /** Error of the last read. Undefined while the ticket is loading. */
  error: unknown
  onRetry: () => unknown
}>

/** Placeholder of a ticket that is loading, does not exist, or could not be read. */
export function TicketPlaceholder({ back, error, onRetry }: TicketPendingProps) {
  const { t } = useTranslation('tickets')
  const isMissing = error instanceof ApiError && error.httpStatus === 404
  return (
    <div className="stack">
      {back}
      {isMissing && <EmptyState title={t('missingTitle')}>{t('missingText')}</EmptyState>}
      {error !== undefined && !isMissing && <ErrorState error={error} onRetry={onRetry} />}
      {error === undefined && <SkeletonLines count={6} />}
    </div>
  )
}
