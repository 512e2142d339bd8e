import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { NotFound } from '../../../components/layout/not-found.tsx'
import { Page } from '../../../components/layout/page.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { TableSkeleton } from '../../../components/ui/table-skeleton.tsx'
import { FlagsScreen } from '../../../features/admin-challenges/flags-screen.tsx'
import { useGameId, useNumberParam } from '../../../lib/game.ts'
import { ApiError } from '../../../lib/http.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const cid = useNumberParam('chalId')
  return cid === undefined ? <NotFound /> : <Flags cid={cid} />
}

function Flags({ cid }: { readonly cid: number }) {
  const { t } = useTranslation('admin-challenges')
  const id = useGameId()
  const { data: challenge, error, mutate } = useCall(operations.adminGetChallenge, { params: { id, cid } })
  if (error instanceof ApiError && error.httpStatus === 404) return <NotFound />
  return (
    <Page
      title={challenge ? t('flags.title', { title: challenge.title }) : t('flags.list')}
      headingBelow={challenge !== undefined}
      hideTitle
    >
      {!challenge && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {!challenge && !error && <TableSkeleton dense columns={['16px', '260px', '60px']} />}
      {challenge && <FlagsScreen key={challenge.id} gameId={id} challenge={challenge} />}
    </Page>
  )
}
